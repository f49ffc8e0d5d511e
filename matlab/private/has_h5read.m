function yes = has_h5read()
% MATLAB has it, Octave has not.
yes = exist('h5read') > 0 && exist('h5info') > 0; %#ok<EXIST>
end
