function grid = vtk_grid(file, arrays)
% points [node, 3], cells (a struct array by shape) and their number, of a .vtkhdf file of one piece.
head = '/VTKHDF/';
grid.points = double(hdf_read(file, arrays, [head 'Points'])).';
type = double(reshape(hdf_read(file, arrays, [head 'Types']), [], 1));
offset = double(reshape(hdf_read(file, arrays, [head 'Offsets']), [], 1));
link = double(reshape(hdf_read(file, arrays, [head 'Connectivity']), [], 1));
grid.count = numel(type);
[shape, ~, of] = unique([type, diff(offset(1:grid.count + 1))], 'rows');
grid.cells = struct('shape', {}, 'type', {}, 'nodes', {}, 'element', {});
for k = 1:size(shape, 1)
    element = find(of(:) == k);
    place = bsxfun(@plus, offset(element), 1:shape(k, 2));
    nodes = reshape(link(place), numel(element), shape(k, 2)) + 1;
    grid.cells(k) = struct('shape', shape_name(shape(k, 1), shape(k, 2)), 'type', shape(k, 1), 'nodes', nodes, ...
        'element', element);
end
end

function name = shape_name(type, nodes)
family = {[5 22 69], 'tri'; [9 23 28 70], 'quad'; [10 24 71], 'tet'; [12 25 29 72], 'hex'; [13 26 32 73], 'wedge'};
name = 'cell';
for i = 1:size(family, 1)
    if any(family{i, 1} == type), name = family{i, 2}; end
end
name = sprintf('%s%d', name, nodes);
end
