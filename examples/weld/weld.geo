// A butt weld in a steel plate, cross-section (Huthwaite 2014, section 4.1, Fig. 6). Lengths in mm.
// scale 1: 60 x 22 mm (about 1330 mm^2, the paper's size at h = 0.04); the small example has scale 0.125.
// The drawing's own numbers are not in the text: the V has an opening of 14 mm at the top and 4 mm at the root; the crack, 6 mm
// long, lies on the fusion face from 6 mm below the top on. Its faces are separate nodes.
DefineConstant[ scale = {0.125, Name "scale"}, h = {0.05, Name "element size"} ];
SetFactory("Built-in");
w = 60 * scale; t = 22 * scale; m = w / 2; a = 7 * scale; b = 2 * scale;
// points of the fusion face on the right, at depth d below the top: x = m + a - (a - b) d / t
c0 = 6 * scale; c1 = 12 * scale;
Point(1) = {0, 0, 0, h};            Point(2) = {m - b, 0, 0, h};       Point(3) = {m + b, 0, 0, h};
Point(4) = {w, 0, 0, h};            Point(5) = {w, t, 0, h};           Point(6) = {m + a, t, 0, h};
Point(7) = {m - a, t, 0, h};        Point(8) = {0, t, 0, h};
Point(9) = {m + a - (a - b) * c0 / t, t - c0, 0, h};
Point(10) = {m + a - (a - b) * c1 / t, t - c1, 0, h};
// probe: 3 mm of the top, left of the weld; receivers: two points of the top
Point(11) = {15 * scale, t, 0, h};  Point(12) = {12 * scale, t, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 7};
Line(7) = {7, 11}; Line(8) = {11, 12}; Line(9) = {12, 8}; Line(10) = {8, 1};
Line(11) = {2, 7};
Line(12) = {3, 10}; Line(13) = {10, 9}; Line(14) = {9, 6};
Curve Loop(1) = {1, 11, 7, 8, 9, 10};
Curve Loop(2) = {2, 12, 13, 14, 6, -11};
Curve Loop(3) = {3, 4, 5, -14, -13, -12};
Plane Surface(1) = {1}; Plane Surface(2) = {2}; Plane Surface(3) = {3};
Physical Surface("base") = {1, 3};
Physical Surface("weld") = {2};
Physical Curve("probe") = {8};
Physical Curve("crack", 100) = {13};
Physical Point("rx_probe") = {11};
Physical Point("rx_weld") = {6};
Mesh.Algorithm = 6;
Mesh.MshFileVersion = 4.1;
Mesh 2;
Plugin(Crack).Dimension = 1;
Plugin(Crack).PhysicalGroup = 100;
Plugin(Crack).Run;
