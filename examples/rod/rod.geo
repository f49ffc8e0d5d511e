// A connecting rod: two eyes and a tapered shank, extruded. Lengths in mm. The paper (Sanfui, Sharma, section 5.2) gives a picture
// alone; this drawing is of its kind.
DefineConstant[ h = {4, Name "element size"}, order = {2, Name "1 or 2"},
                hexahedra = {0, Name "1: quadrilaterals in the plan, extruded in layers"},
                plan = {0, Name "1: the quadrilaterals of the plan alone"} ];
SetFactory("OpenCASCADE");
length = 120; thick = 16;
big = 32; bore = 22;          // radii of the crank's eye
small = 19; pin = 11;         // and of the piston's
wide = 15; narrow = 10;       // half the shank's width at the eyes
Disk(1) = {0, 0, 0, big};
Disk(2) = {length, 0, 0, small};
Point(101) = {0, -wide, 0}; Point(102) = {length, -narrow, 0};
Point(103) = {length, narrow, 0}; Point(104) = {0, wide, 0};
Line(101) = {101, 102}; Line(102) = {102, 103}; Line(103) = {103, 104}; Line(104) = {104, 101};
Curve Loop(101) = {101, 102, 103, 104}; Plane Surface(3) = {101};
BooleanUnion(10) = { Surface{1}; Delete; }{ Surface{2, 3}; Delete; };
Disk(11) = {0, 0, 0, bore};
Disk(12) = {length, 0, 0, pin};
BooleanDifference(20) = { Surface{10}; Delete; }{ Surface{11, 12}; Delete; };
If (hexahedra || plan)
  Mesh.RecombineAll = 1; Mesh.RecombinationAlgorithm = 2; Mesh.Algorithm = 6; Mesh.SecondOrderIncomplete = 1;
EndIf
If (hexahedra)
  solid[] = Extrude {0, 0, thick} { Surface{20}; Layers{Ceil(thick / h)}; Recombine; };
ElseIf (!plan)
  solid[] = Extrude {0, 0, thick} { Surface{20}; };
EndIf
e = 0.1;
If (plan)
  Physical Surface("rod") = {20};
Else
Physical Volume("rod") = {solid[1]};
Physical Surface("crank") = Surface In BoundingBox {-bore - e, -bore - e, -e, bore + e, bore + e, thick + e};
Physical Surface("pin") = Surface In BoundingBox {length - pin - e, -pin - e, -e, length + pin + e, pin + e, thick + e};
EndIf
Mesh.MeshSizeMax = h; Mesh.MeshSizeMin = h / 2; Mesh.MeshSizeFromCurvature = 24;
Mesh.ElementOrder = order; Mesh.HighOrderOptimize = order - 1; Mesh.Algorithm3D = 1;
Mesh plan ? 2 : 3;
