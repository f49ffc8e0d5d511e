function traces = hooke_traces(run, request)
% HOOKE_TRACES  Traces of a run: what its receivers recorded.
%
%   traces = HOOKE_TRACES(run)            all of them
%   traces = HOOKE_TRACES(run, request)   those of one request, as the case file names it
%
% run is the result folder, such as 'plate.hooke', or a file like its run.h5. traces is a struct array with
% one item for each quantity of each request:
%
%   name, quantity    'receivers', 'displacement'
%   unit, time_unit   'mm', 'us'; '' where the model names none
%   components        {'x', 'y'}; {''} of a quantity that has but one
%   time              [step 1], where t = 0 comes first
%   values            [step, component, receiver], with shots [step, component, receiver, shot]; NaN where
%                     the run did not come so far
%   node              [receiver 1]: the model's labels of the nodes; -1 for a point
%   coordinates       [receiver, dimension]
%
% Example:
%   t = hooke_traces('plate.hooke', 'receivers');
%   y = strcmp(t(1).components, 'y');
%   largest = max(abs(t(1).values(:, y, 1)));      % of the first receiver
%   fprintf('%s, y: %g %s after %g %s\n', t(1).quantity, largest, t(1).unit, t(1).time(end), t(1).time_unit);
%
% See also HOOKE_FIELD, HOOKE_MESH, HOOKE_WRITE_CASE.

if nargin < 1, error('hooke:usage', 'hooke_traces needs the folder of a run; see "help hooke_traces"'); end
file = run_file(run, 'run.h5');
arrays = hdf_arrays(file);
traces = struct('name', {}, 'quantity', {}, 'unit', {}, 'time_unit', {}, 'components', {}, 'time', {}, ...
    'values', {}, 'node', {}, 'coordinates', {});
for i = 1:numel(arrays)
    part = strsplit(arrays(i).path, '/');
    if numel(part) ~= 4 || ~strcmp(part{2}, 'traces'), continue; end
    if any(strcmp(part{4}, {'time', 'node', 'coordinates'})), continue; end
    if nargin > 1 && ~strcmp(part{3}, request), continue; end
    group = ['/traces/' part{3} '/'];
    [time, head] = hdf_read(file, arrays, [group 'time']);
    t.name = part{3};
    t.quantity = part{4};
    t.unit = arrays(i).unit;
    t.time_unit = head.unit;
    t.components = words(arrays(i).components);
    t.time = time(:);
    t.values = double(hdf_read(file, arrays, arrays(i).path));
    t.node = reshape(double(hdf_read(file, arrays, [group 'node'])), [], 1);
    t.coordinates = hdf_read(file, arrays, [group 'coordinates']).';
    traces(end + 1) = orderfields(t, traces); %#ok<AGROW>
end
if isempty(traces)
    names = request_names(arrays);
    if isempty(names)
        error('hooke:input', '%s has no traces: ask for them with outputs: {traces: ...} in the case file', file);
    end
    error('hooke:input', '%s has no traces named "%s", but: %s', file, request, strjoin(names, ', '));
end
end

function names = request_names(arrays)
names = {};
for i = 1:numel(arrays)
    part = strsplit(arrays(i).path, '/');
    if numel(part) == 4 && strcmp(part{2}, 'traces'), names{end + 1} = part{3}; end %#ok<AGROW>
end
names = unique(names);
end
