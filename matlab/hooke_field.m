function field = hooke_field(run, frames, quantity, shot)
% HOOKE_FIELD  Frames of a field on the mesh of a run.
%
%   field = HOOKE_FIELD(run)                    the mesh, the times and what there is, but no values
%   field = HOOKE_FIELD(run, frames)            and the values of these frames, counted from 1
%   field = HOOKE_FIELD(run, frames, quantity)  of one quantity alone, such as 'velocity'; '': all
%   field = HOOKE_FIELD(run, frames, quantity, shot)   of a run with shots: which one, from 1
%
% run is the result folder, such as 'plate.hooke', or a .vtkhdf file. Only the frames that are asked for are
% read, so that a field need not fit into memory. field is a struct:
%
%   points     [node, 3]; 2D meshes have z = 0
%   cells      struct array, one item for each shape: shape ('quad4', ...), type (VTK's number of it),
%              nodes [cell, node of the cell] in VTK's order, from 1; element [cell 1], its number
%   times      [frame 1], of all frames
%   frames     [1, frame], those that were read
%   quantity   struct array: name, unit, components (a cell), values [node, component, frame] in single
%              precision; NaN where the run did not come so far. Vectors have three components, in 2D the last is 0.
%
% Example:
%   f = hooke_field('plate.hooke');
%   last = hooke_field('plate.hooke', numel(f.times), f.quantity(1).name);
%   v = last.quantity(1).values;                                  % [node, component]
%   speed = sqrt(sum(v .^ 2, 2));
%   quads = last.cells(1).nodes;
%   fprintf('%d cells, up to %g %s\n', size(quads, 1), max(speed), last.quantity(1).unit);
%   % patch('Vertices', last.points(:, 1:2), 'Faces', quads, 'FaceVertexCData', speed, 'FaceColor', 'interp')
%
% See also HOOKE_TRACES, HOOKE_MESH.

if nargin < 1, error('hooke:usage', 'hooke_field needs the folder of a run; see "help hooke_field"'); end
if nargin < 2, frames = []; end
if nargin < 3, quantity = ''; end
if nargin < 4, shot = []; end
file = field_file(run, shot);
arrays = hdf_arrays(file);
grid = vtk_grid(file, arrays);
field.points = grid.points;
field.cells = grid.cells;
field.times = reshape(hdf_read(file, arrays, '/VTKHDF/Steps/Values'), [], 1);
count = numel(field.times);
if any(frames ~= round(frames)) || any(frames < 1) || any(frames > count)
    error('hooke:input', '%s has frames 1 to %d; %s is asked for', file, count, mat2str(frames));
end
field.frames = reshape(frames, 1, []);
field.quantity = struct('name', {}, 'unit', {}, 'components', {}, 'values', {});
names = {};
for i = 1:numel(arrays)
    name = after(arrays(i).path, '/VTKHDF/PointData/');
    if isempty(name) || strncmp(name, 'set:', 4) || strcmp(name, 'node_label'), continue; end
    names{end + 1} = name; %#ok<AGROW>
    if ~isempty(quantity) && ~strcmp(name, quantity), continue; end
    values = read_frames(file, arrays, arrays(i).path, size(field.points, 1), field.frames);
    field.quantity(end + 1) = struct('name', name, 'unit', arrays(i).unit, ...
        'components', {words(arrays(i).components)}, 'values', values);
end
if ~isempty(quantity) && isempty(field.quantity)
    error('hooke:input', '%s has no "%s", but: %s', file, quantity, strjoin(names, ', '));
end
end

% values [node, component, frame]: a frame begins at the row that Steps/PointDataOffsets says.
function values = read_frames(file, arrays, path, nodes, frames)
begin = hdf_read(file, arrays, strrep(path, '/VTKHDF/PointData/', '/VTKHDF/Steps/PointDataOffsets/'));
values = [];
for k = 1:numel(frames)
    frame = reshape(hdf_read(file, arrays, path, double(begin(frames(k))), nodes), [], nodes);
    if k == 1, values = zeros(nodes, size(frame, 1), numel(frames), class(frame)); end
    values(:, :, k) = frame.';
end
end

function file = field_file(run, shot)
if ~isempty(shot) || exist(run, 'dir') ~= 7 || exist(fullfile(run, 'field.vtkhdf'), 'file') == 2
    name = 'field.vtkhdf';
    if ~isempty(shot), name = sprintf('field_shot%04d.vtkhdf', shot); end
    file = run_file(run, name);
    return
end
found = dir(fullfile(run, 'field_shot*.vtkhdf'));
if ~isempty(found)
    shots = sprintf(' %d', cellfun(@(name) sscanf(name, 'field_shot%d'), {found.name}));
    error('hooke:input', '%s has frames of the shots%s: name one, hooke_field(run, frames, quantity, shot)', run, shots);
end
if exist(fullfile(run, 'field.pvd'), 'file') == 2
    error('hooke:input', '%s has its frames as .vtu files: run without --field-format vtu', run);
end
error('hooke:input', '%s has no field: ask for one with outputs: {field: ...} in the case file', run);
end
