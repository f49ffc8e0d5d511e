function hooke_write_case(file, model)
% HOOKE_WRITE_CASE  Writes a case file, JSON, that hooke check and hooke run take.
%
%   HOOKE_WRITE_CASE(file, model)
%
% file ends in .json. model is a struct with the keys of a case file:
%
%   struct, containers.Map     a map; a Map where a name is no MATLAB identifier, such as 'rim-2'
%   struct array, cell         a list, item by item
%   'text'                     a text; quantities with units are texts: '5 MHz', '7800 kg/m^3'
%   number, true, false        the same, with 17 digits
%   [1 2 3]                    a list of numbers; a matrix is a list of its rows
%
% A list of one item is a cell: {'x'}, {[5 2]}, {struct(...)}. Where a case has a list of maps (sources,
% boundary, initial, traces) a single struct will do. The old file is replaced when the new one is complete.
%
% Example:
%   m = struct();
%   m.title = 'plate';
%   m.units = struct('length', 'mm', 'time', 'us');
%   m.mesh.rectangle = struct('size', [40 20], 'cells', [40 20]);
%   m.materials.steel = struct('density', '7850 kg/m^3', 'young', '210 GPa', 'poisson', 0.3);
%   m.sources = struct('at', [10 20], 'force', '1 N', 'direction', [0 -1]);
%   m.sources.signal.toneburst = struct('frequency', '0.5 MHz', 'cycles', 3);
%   m.outputs.traces = struct('name', 'rx', 'set', 'top', 'quantity', 'displacement');
%   m.solve.explicit.end = '10 us';
%   hooke_write_case('written.json', m);
%   % system('hooke run written.json'); t = hooke_traces('written.hooke');
%
% See also HOOKE_TRACES, HOOKE_FIELD, HOOKE_MESH.

if nargin < 2, error('hooke:usage', 'hooke_write_case needs a file and a struct; see "help hooke_write_case"'); end
if ~is_map(model), error('hooke:input', 'the model is a %s: give one struct', class(model)); end
text = json_text(model, '', '');
part = sprintf('%s.%d.tmp', file, floor(1e9 * rand()));
[id, why] = fopen(part, 'w', 'n', 'UTF-8');
if id < 0, error('hooke:output', '%s cannot be written: %s', file, why); end
written = fprintf(id, '%s\n', text);
closed = fclose(id);
if written <= numel(text) || closed ~= 0
    delete(part);
    error('hooke:output', '%s cannot be written: the disk may be full', file);
end
[moved, why] = movefile(part, file, 'f');
if ~moved
    delete(part);
    error('hooke:output', '%s cannot be written: %s', file, why);
end
end

function yes = is_map(value)
yes = (isstruct(value) && isscalar(value)) || isa(value, 'containers.Map');
end

% `key` is where the value stands, for messages; `space` what its lines begin with.
function text = json_text(value, space, key)
if is_map(value)
    text = map_text(value, space, key);
elseif isstruct(value)
    text = list_text(num2cell(reshape(value, 1, [])), space, key);
elseif iscell(value)
    text = list_text(reshape(value, 1, []), space, key);
elseif ischar(value)
    if size(value, 1) > 1, error('hooke:input', '%s: a text has several rows: give a cell of texts', key); end
    text = quoted(value);
elseif islogical(value) || isnumeric(value)
    text = numbers_text(value, key);
elseif isa(value, 'string') && isscalar(value)
    text = quoted(char(value));
else
    error('hooke:input', '%s: a %s has no place in a case file', key, class(value));
end
end

function text = map_text(value, space, key)
inner = [space '  '];
if isstruct(value)
    names = fieldnames(value).';
    items = struct2cell(value).';
else
    names = keys(value);
    items = values(value);
end
lines = cell(1, numel(names));
for i = 1:numel(names)
    name = names{i};
    if ~ischar(name), error('hooke:input', '%s: the keys of a containers.Map are texts', key); end
    item = items{i};
    if is_map(item) && any(strcmp(name, {'sources', 'boundary', 'initial', 'traces'})), item = {item}; end
    lines{i} = [inner quoted(name) ': ' json_text(item, inner, [key '.' name])];
end
text = ['{' sprintf('\n') strjoin(lines, sprintf(',\n')) sprintf('\n') space '}'];
if isempty(lines), text = '{}'; end
end

function text = list_text(items, space, key)
lines = cell(1, numel(items));
for i = 1:numel(items)
    lines{i} = json_text(items{i}, space, sprintf('%s(%d)', key, i));
end
text = ['[' strjoin(lines, ', ') ']'];
end

function text = numbers_text(value, key)
if ~isreal(value) || ndims(value) > 2 || any(~isfinite(double(value(:))))
    error('hooke:input', '%s: give real, finite numbers in one or two dimensions', key);
end
if isscalar(value)
    text = number_text(value);
elseif isvector(value) || isempty(value)
    text = ['[' strjoin(arrayfun(@number_text, reshape(value, 1, []), 'UniformOutput', false), ', ') ']'];
else
    rows = cell(1, size(value, 1));
    for i = 1:numel(rows), rows{i} = numbers_text(value(i, :), key); end
    text = ['[' strjoin(rows, ', ') ']'];
end
end

function text = number_text(value)
if islogical(value)
    if value, text = 'true'; else, text = 'false'; end
elseif isinteger(value)
    text = sprintf('%d', value);
else
    text = sprintf('%.17g', value);
    if str2double(sprintf('%.15g', value)) == value, text = sprintf('%.15g', value); end
end
end

function text = quoted(text)
text = reshape(text, 1, []);
text = strrep(strrep(text, '\', '\\'), '"', '\"');
for code = find(ismember(0:31, double(text))) - 1
    text = strrep(text, char(code), sprintf('\\u%04x', code));
end
text = ['"' text '"'];
end
