function arrays = hdf_arrays(file)
% Every array of an HDF5 file: path, size (HDF5's, slowest first), unit, components; in Octave also type and
% offset, by which hdf_read finds it: Octave has no h5read, and load('-hdf5') would read the whole file,
% change names and lose attributes. There the command hooke tells.
arrays = struct('path', {}, 'size', {}, 'unit', {}, 'components', {}, 'type', {}, 'offset', {});
if has_h5read()
    arrays = add_group(arrays, file, h5info(file));
    return
end
told = jsondecode(hooke_command('info', file, '--arrays', '--json'));
for i = 1:numel(told.arrays)
    a = told.arrays(i);
    arrays(i) = struct('path', a.path, 'size', reshape(a.size, 1, []), 'unit', a.unit, ...
        'components', a.components, 'type', a.type, 'offset', a.offset);
end
end

function arrays = add_group(arrays, file, group)
for i = 1:numel(group.Datasets)
    set = group.Datasets(i);
    path = [strtrim_slash(group.Name) '/' set.Name];
    arrays(end + 1) = struct('path', path, 'size', fliplr(set.Dataspace.Size), 'unit', text_of(set, 'unit'), ...
        'components', text_of(set, 'components'), 'type', '', 'offset', []); %#ok<AGROW>
end
for i = 1:numel(group.Groups), arrays = add_group(arrays, file, group.Groups(i)); end
end

function name = strtrim_slash(name)
if strcmp(name, '/'), name = ''; end
end

% h5info gives texts as char, cell or string, by its age.
function text = text_of(set, name)
text = '';
for i = 1:numel(set.Attributes)
    if ~strcmp(set.Attributes(i).Name, name), continue; end
    value = set.Attributes(i).Value;
    if iscell(value), value = value{1}; end
    text = char(value);
end
end
