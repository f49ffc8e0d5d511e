function list = words(text)
% 'x y' -> {'x', 'y'}; '' -> {''}
list = strsplit(strtrim(text), ' ');
end
