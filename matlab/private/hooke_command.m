function out = hooke_command(varargin)
% What the command hooke prints with these words; an error with its own where it fails.
command = getenv('HOOKE');
if isempty(command), command = 'hooke'; end
line = quoted(command);
for i = 1:nargin, line = [line ' ' quoted(varargin{i})]; end %#ok<AGROW>
if isunix() && exist('OCTAVE_VERSION', 'builtin') == 0
    line = ['env -u LD_LIBRARY_PATH ' line]; % MATLAB's own HDF5 is not for others
end
said = tempname();
clean = onCleanup(@() remove(said)); %#ok<NASGU>
[code, out] = system([line ' 2>' quoted(said)]);
if code == 0, return; end
why = '';
if exist(said, 'file') == 2, why = strtrim(fileread(said)); end
if code == 127 || code == 9009
    why = [why ': hooke is not on the PATH: setenv(''HOOKE'', ''/where/it/is/hooke'')'];
end
error('hooke:command', '%s', why);
end

function text = quoted(text)
if ispc()
    text = ['"' text '"'];
else
    text = ['''' strrep(text, '''', '''\''''') ''''];
end
end

function remove(file)
if exist(file, 'file') == 2, delete(file); end
end
