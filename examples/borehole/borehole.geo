// A rectangular pipe of width W and height H with a bore hole of radius R, off the middle (Keating 2019, 5.5). h: size of the elements.
// holes 0: without the hole, its sides apart as left and right.
DefineConstant[ h = 0.08, holes = 1 ];
SetFactory("OpenCASCADE");
W = 3; H = 2; R = 0.4;
Rectangle(1) = {0, 0, 0, W, H};
e = 0.001;
If (holes)
  Disk(2) = {1.2, 1.0, 0, R};
  BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
  hole() = Curve In BoundingBox {1.2 - R - e, 1 - R - e, -e, 1.2 + R + e, 1 + R + e, e};
  outer() = Boundary{ Surface{3}; };
  outer() = Abs(outer());
  outer() -= hole();
  Physical Surface("pipe") = {3};
  Physical Curve("hole") = hole();
  Physical Curve("outer") = outer();
Else
  Physical Surface("pipe") = {1};
  Physical Curve("left") = Curve In BoundingBox {-e, -e, -e, e, H + e, e};
  Physical Curve("right") = Curve In BoundingBox {W - e, -e, -e, W + e, H + e, e};
EndIf
Mesh.MeshSizeMin = h; Mesh.MeshSizeMax = h;
Mesh.Algorithm = 6;
