SetFactory("OpenCASCADE");
Box(1) = {0,0,0,1,1,1};
Box(2) = {1,0,0,1,1,1};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Physical Volume("left") = {1};
Physical Volume("right") = {2};
Physical Volume("both sides", 9) = {1,2};
Physical Surface("base") = {1};
Physical Surface(77) = Surface In BoundingBox {0.99,-0.1,-0.1,1.01,1.1,1.1};
Physical Curve("edge") = {1};
Physical Point("corner") = {1};
Transfinite Curve {:} = 2;
