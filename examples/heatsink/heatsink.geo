// A heat sink: a base plate with fins, a chip below its middle. Millimetres. h: size of the elements.
DefineConstant[ h = 5 ];
SetFactory("OpenCASCADE");
L = 60; base = 6; fin = 2.5; tall = 24; fins = 6; chip = 20;
pitch = (L - fin) / (fins - 1);
Box(1) = {0, 0, 0, L, L, base};
For i In {0:fins-1}
  Box(10 + i) = {i * pitch, 0, base, fin, L, tall};
EndFor
all() = BooleanUnion{ Volume{1}; Delete; }{ Volume{10:9+fins}; Delete; };
Rectangle(500) = {(L - chip) / 2, (L - chip) / 2, 0, chip, chip};
body() = BooleanFragments{ Volume{all()}; Delete; }{ Surface{500}; Delete; };
e = 0.01;
Physical Volume("sink") = Volume In BoundingBox {-e, -e, -e, L + e, L + e, base + tall + e};
c() = Surface In BoundingBox {(L - chip) / 2 - e, (L - chip) / 2 - e, -e, (L + chip) / 2 + e, (L + chip) / 2 + e, e};
below() = Surface In BoundingBox {-e, -e, -e, L + e, L + e, e};
Physical Surface("chip") = c();
air() = Surface In BoundingBox {-e, -e, -e, L + e, L + e, base + tall + e};
air() -= below();
Physical Surface("air") = air();
Mesh.MeshSizeMax = h; Mesh.MeshSizeMin = h / 2;
Mesh.ElementOrder = 2; Mesh.Algorithm3D = 1;
Mesh 3;
