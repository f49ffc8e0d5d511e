function [values, array] = hdf_read(file, arrays, path, first, count)
% An array of an HDF5 file, or of its slowest index `count` items from `first` (from 0) on. The dimensions are
% HDF5's backwards, as h5read gives them: what lay side by side in the file comes first.
at = find(strcmp({arrays.path}, path), 1);
if isempty(at), error('hooke:input', '%s has no %s', file, path); end
array = arrays(at);
if nargin < 4, first = 0; count = array.size(1); end
if first < 0 || first + count > array.size(1)
    error('hooke:input', '%s: %s has %d rows, %d to %d are needed', file, path, array.size(1), first + 1, first + count);
end
shape = fliplr([count array.size(2:end)]);
if has_h5read()
    start = ones(1, numel(shape));
    start(end) = first + 1;
    values = h5read(file, path, start, shape);
    return
end
if isempty(array.offset)
    error('hooke:input', '%s: %s lies in pieces: Octave reads what hooke has written', file, path);
end
switch array.type
    case 'float64', width = 8; kind = '*double';
    case 'float32', width = 4; kind = '*single';
    case 'int64', width = 8; kind = '*int64';
    case 'uint8', width = 1; kind = '*uint8';
end
[id, why] = fopen(file, 'r');
if id < 0, error('hooke:input', '%s cannot be read: %s', file, why); end
clean = onCleanup(@() fclose(id)); %#ok<NASGU>
fseek(id, array.offset + first * prod(array.size(2:end)) * width, 'bof');
values = fread(id, prod(shape), kind);
if numel(values) ~= prod(shape), error('hooke:input', '%s: %s is cut off', file, path); end
values = reshape(values, [shape 1]);
end
