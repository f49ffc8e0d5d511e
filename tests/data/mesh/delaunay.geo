SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 0.8, 0.7};
Sphere(2) = {0.4, 0.4, 0.35, 0.2};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("body") = {3};
Mesh.MeshSizeMin = 0.19;
Mesh.MeshSizeMax = 0.19;
Mesh.Algorithm3D = 1;
