function rest = after(text, head)
% What of `text` follows `head`; '' where it does not begin with it.
rest = '';
if strncmp(text, head, numel(head)), rest = text(numel(head) + 1:end); end
end
