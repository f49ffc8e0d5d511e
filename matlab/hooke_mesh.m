function mesh = hooke_mesh(file)
% HOOKE_MESH  Points, elements and sets of a mesh or deck, or of a run.
%
%   mesh = HOOKE_MESH(file)   a mesh that hooke reads: .msh, .inp, .inp.gz, .vtu, .vtkhdf
%   mesh = HOOKE_MESH(run)    a result folder, such as 'plate.hooke', that has a field
%
% A mesh file is read with the command hooke (see hooke_command below). mesh is a struct:
%
%   points       [node, 3]; 2D meshes have z = 0
%   elements     struct array, one item for each shape: shape ('quad4', ...), type (VTK's number of it),
%                nodes [element, node of the element] in VTK's order, from 1; element [element 1], numbers
%   node_label, element_label   [node 1], [element 1]: the file's own numbers
%   sets         struct array: name, of ('nodes', 'elements' or 'faces'), members [member 1]: numbers from 1;
%                of faces [member 2]: element and face of it. A run's field has those that
%                are neither empty nor all nodes or all elements.
%
% The command is looked for on the PATH; the environment variable HOOKE names another:
% setenv('HOOKE', '/opt/hooke/bin/hooke').
%
% Example:
%   m = hooke_mesh('plate.hooke');
%   fprintf('%d nodes, %d %s\n', size(m.points, 1), size(m.elements(1).nodes, 1), m.elements(1).shape);
%
% See also HOOKE_FIELD, HOOKE_WRITE_CASE.

if nargin < 1, error('hooke:usage', 'hooke_mesh needs a mesh or the folder of a run; see "help hooke_mesh"'); end
if exist(file, 'dir') == 7
    found = dir(fullfile(file, 'field*.vtkhdf'));
    if isempty(found)
        error('hooke:input', '%s has no field.vtkhdf, in which its mesh would be', file);
    end
    grid_file = fullfile(file, found(1).name);
else
    if exist(file, 'file') ~= 2, error('hooke:input', '%s: there is no such file', file); end
    grid_file = [tempname() '.vtkhdf'];
    clean = onCleanup(@() remove(grid_file)); %#ok<NASGU>
    hooke_command('convert', file, grid_file);
end
arrays = hdf_arrays(grid_file);
grid = vtk_grid(grid_file, arrays);
mesh.points = grid.points;
mesh.elements = grid.cells;
mesh.node_label = labels(grid_file, arrays, '/VTKHDF/PointData/node_label', size(grid.points, 1));
mesh.element_label = labels(grid_file, arrays, '/VTKHDF/CellData/element_label', grid.count);
mesh.sets = struct('name', {}, 'of', {}, 'members', {});
kinds = {'/VTKHDF/PointData/set:', 'nodes'; '/VTKHDF/CellData/set:', 'elements'; '/VTKHDF/CellData/faces:', 'faces'};
for i = 1:numel(arrays)
    for k = 1:3
        name = after(arrays(i).path, kinds{k, 1});
        if isempty(name), continue; end
        name = strrep(strrep(name, '%2F', '/'), '%25', '%');
        mark = reshape(hdf_read(grid_file, arrays, arrays(i).path), [], 1);
        mesh.sets(end + 1) = struct('name', name, 'of', kinds{k, 2}, 'members', members(mark, k == 3));
    end
end
end

% Bit f - 1 of a mark of faces is face f.
function list = members(mark, faces)
list = find(mark);
if ~faces, return; end
list = zeros(0, 2);
for f = 1:8
    element = find(bitget(mark, f));
    list = [list; element, repmat(f, numel(element), 1)]; %#ok<AGROW>
end
list = sortrows(list);
end

function label = labels(file, arrays, path, count)
label = (1:count).';
if any(strcmp({arrays.path}, path)), label = reshape(double(hdf_read(file, arrays, path)), [], 1); end
end

function remove(file)
if exist(file, 'file') == 2, delete(file); end
end
