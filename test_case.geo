SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 10, 5};
Physical Surface("plate") = {1};
Mesh.MeshSizeMax = 1;
