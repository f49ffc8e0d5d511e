// A gear-type component with several holes (Huthwaite 2014, section 4.2, Fig. 10). Lengths in mm.
// scale 1: 112 mm across the tips, 8010 mm^2 (the paper's size at h = 0.08); the small example has scale 0.31.
// The drawing's own numbers are not in the text: 20 teeth with straight flanks, a bore, 6 round holes in the web.
DefineConstant[ scale = {0.31, Name "scale"}, h = {0.29, Name "element size"} ];
SetFactory("Built-in");
n = 20; pitch = 2 * Pi / n;
root = 50 * scale; tip = 56 * scale;        // radii
a = 0.30 * pitch; b = 0.18 * pitch;         // half the angle of a tooth at the root, at the tip
bore = 11 * scale; hole = 4.67 * scale; web = 31 * scale; holes = 6;
driven = 2; far = 12;                       // teeth, counted anticlockwise from the x axis: 36 and 216 degrees

Point(1) = {0, 0, 0, h};
For k In {0:n-1}
  c = k * pitch; p = 10 + 5 * k;
  Point(p) = {root * Cos(c - a), root * Sin(c - a), 0, h};
  Point(p + 1) = {tip * Cos(c - b), tip * Sin(c - b), 0, h};
  Point(p + 2) = {tip * Cos(c), tip * Sin(c), 0, h};
  Point(p + 3) = {tip * Cos(c + b), tip * Sin(c + b), 0, h};
  Point(p + 4) = {root * Cos(c + a), root * Sin(c + a), 0, h};
EndFor
rim[] = {};
For k In {0:n-1}
  p = 10 + 5 * k;
  next = 10 + 5 * ((k + 1) % n);
  Line(p) = {p, p + 1}; Circle(p + 1) = {p + 1, 1, p + 2}; Circle(p + 2) = {p + 2, 1, p + 3};
  Line(p + 3) = {p + 3, p + 4}; Circle(p + 4) = {p + 4, 1, next};
  rim[] += {p, p + 1, p + 2, p + 3, p + 4};
EndFor
Curve Loop(1) = rim[];

loops[] = {1};
For k In {0:holes}                          // the last one is the bore
  x = (k < holes) ? web * Cos(2 * Pi * k / holes) : 0;
  y = (k < holes) ? web * Sin(2 * Pi * k / holes) : 0;
  r = (k < holes) ? hole : bore;
  p = 200 + 10 * k;
  Point(p) = {x, y, 0, h}; Point(p + 1) = {x + r, y, 0, h}; Point(p + 2) = {x, y + r, 0, h};
  Point(p + 3) = {x - r, y, 0, h}; Point(p + 4) = {x, y - r, 0, h};
  Circle(p) = {p + 1, p, p + 2}; Circle(p + 1) = {p + 2, p, p + 3};
  Circle(p + 2) = {p + 3, p, p + 4}; Circle(p + 3) = {p + 4, p, p + 1};
  Curve Loop(p) = {p, p + 1, p + 2, p + 3};
  loops[] += {p};
EndFor
Plane Surface(1) = loops[];

Physical Surface("gear") = {1};
p = 10 + 5 * driven;
Physical Curve("tooth") = {p, p + 1, p + 2, p + 3};
Physical Point("rx_far") = {10 + 5 * far + 2};
Mesh.Algorithm = 6;
Mesh.MshFileVersion = 4.1;
Mesh 2;
