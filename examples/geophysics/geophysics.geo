// A section of four rocks (Huthwaite 2014, section 4.3, Fig. 12, Table 3). Lengths in m; y = 0 is the free surface.
// 6600 x 3300 m (the paper's size at h = 5, graded = 0). The small example has h = 37.5 in the slowest rock and longer edges in the
// faster ones below, in proportion to the S-wave speed (graded = 1).
// Where each rock lies is not in the text: rock 1 on top down to a dipping interface, rock 3 below it down to a second one with
// an anticline, rock 2 (the fastest) at the bottom, and a lens of rock 4 inside rock 3.
DefineConstant[ h = {37.5, Name "element size"}, graded = {1, Name "1: edges follow the S-wave speed"} ];
SetFactory("Built-in");
w = 6600; d = 3300;
h1 = h; h2 = graded ? 1.9 * h : h; h3 = graded ? 1.05 * h : h;
Point(1) = {0, -d, 0, h2};      Point(2) = {w, -d, 0, h2};
Point(3) = {w, -1200, 0, h3};   Point(4) = {w, -650, 0, h1};    Point(5) = {w, 0, 0, h1};
Point(6) = {3900, 0, 0, h1};    Point(7) = {3300, 0, 0, h1};    Point(8) = {2300, 0, 0, h1};
Point(9) = {0, 0, 0, h1};       Point(10) = {0, -300, 0, h1};   Point(11) = {0, -1100, 0, h3};
// lower interface, from right to left
Point(12) = {5200, -1300, 0, h3}; Point(13) = {3900, -950, 0, h3}; Point(14) = {2300, -1250, 0, h3};
// lens
Point(15) = {2100, -750, 0, h3}; Point(16) = {2700, -650, 0, h3}; Point(17) = {3300, -850, 0, h3};
Point(18) = {2700, -900, 0, h3};
// receiver in the depth
Point(19) = {4400, -900, 0, h3};

Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5};
Line(5) = {5, 6}; Line(6) = {6, 7}; Line(7) = {7, 8}; Line(8) = {8, 9};
Line(9) = {9, 10}; Line(10) = {10, 11}; Line(11) = {11, 1};
Line(12) = {10, 4};
Spline(13) = {3, 12, 13, 14, 11};
Spline(14) = {15, 16, 17}; Spline(15) = {17, 18, 15};
Curve Loop(1) = {4, 5, 6, 7, 8, 9, 12};
Curve Loop(2) = {1, 2, 13, 11};
Curve Loop(3) = {3, -12, 10, -13};
Curve Loop(4) = {-15, -14};
Plane Surface(1) = {1}; Plane Surface(2) = {2}; Plane Surface(3) = {3, 4}; Plane Surface(4) = {4};
Point{19} In Surface{3};
// edges: h3 above the lower interface, growing to h2 below it; the points of rock 1 ask for h1
Field[1] = MathEval;
Field[1].F = Sprintf("%g + %g * (1 + Tanh((-1400 - y) / 60)) / 2", h3, h2 - h3);
Background Field = 1;
Physical Surface("rock_1") = {1};
Physical Surface("rock_2") = {2};
Physical Surface("rock_3") = {3};
Physical Surface("rock_4") = {4};
Physical Curve("left") = {9, 10, 11};
Physical Curve("bottom") = {1};
Physical Curve("right") = {2, 3, 4};
Physical Point("shot") = {7};
Physical Point("rx_near") = {6};
Physical Point("rx_far") = {8};
Physical Point("rx_deep") = {19};
Mesh.Algorithm = 6;
Mesh.MshFileVersion = 4.1;
Mesh 2;
