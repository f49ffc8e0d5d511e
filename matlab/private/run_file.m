function file = run_file(run, name)
% The file `name` of the folder `run`, or `run` itself where that is a file.
if exist(run, 'dir') == 7
    file = fullfile(run, name);
else
    file = run;
end
if exist(file, 'file') ~= 2, error('hooke:input', '%s: there is no such file', file); end
end
