"""Closed forms that results are checked against."""
import numpy as np


def ricker(t, f):
    a = (np.pi * f) ** 2
    return (1 - 2 * a * t * t) * np.exp(-a * t * t)


def line_force(x, y, t, f, a, b, rho, points=3000):
    """u_x, u_y at (x, y) from a line force along y at the origin, Ricker wavelet of frequency f that peaks at t = 0,
    in plane strain; a, b: speeds of P and S waves. Carcione, Kosloff, Kosloff (1988), Geophys. J. 95, 597, App. B:

      u_x = x y (G1 + G2) / (2 pi rho r^2),  u_y = (y^2 G1 - x^2 G2) / (2 pi rho r^2)
      G1 = H(t - r/a) / (a^2 s_a) + (s_a H_a - s_b H_b) / r^2,  G2 = -H(t - r/b) / (b^2 s_b) + the same bracket,
      s_c = sqrt(t^2 - r^2/c^2)

    The convolution is taken with s = r/c cosh q, which removes the singularity (midpoint rule in q)."""
    r = np.hypot(x, y)

    def convolve(c, power):
        start = r / c
        top = np.arccosh(max((t.max() + 2 / f) / start, 1.0001))
        q = (np.arange(points) + 0.5) * top / points
        kernel = (start * np.sinh(q)) ** power * (top / points)
        return np.array([ricker(one - start * np.cosh(q), f) @ kernel for one in t])

    bracket = (convolve(a, 2) - convolve(b, 2)) / r**2
    g1, g2 = convolve(a, 0) / a**2 + bracket, -convolve(b, 0) / b**2 + bracket
    scale = 1 / (2 * np.pi * rho * r**2)
    return scale * x * y * (g1 + g2), scale * (y * y * g1 - x * x * g2)


def line_source(r, t, f, c, rho, points=4000):
    """p at the distance r from a volume rate ricker(t, f) per thickness along a line in a fluid:
    p = rho / (2 pi) d/dt integral of Q(t - (r / c) cosh q) dq over q > 0 (midpoint rule)."""
    a = (np.pi * f) ** 2
    top = np.arccosh(max((t.max() + 2 / f) * c / r, 1.0001))
    q = (np.arange(points) + 0.5) * top / points
    late = t[:, None] - r / c * np.cosh(q)
    slope = 2 * a * late * (2 * a * late**2 - 3) * np.exp(-a * late**2)
    return rho / (2 * np.pi) * slope.sum(axis=1) * top / points


def scalar_line(r, t, f, c, points=4000):
    """q at the distance r from a source ricker(t, f) along a line, q_tt = c^2 (laplacian q + source):
    q = integral of ricker(t - (r / c) cosh s) / (2 pi) ds over s > 0 (midpoint rule); of SH waves u_z of a line force mu ricker."""
    a = (np.pi * f) ** 2
    top = np.arccosh(max((t.max() + 2 / f) * c / r, 1.0001))
    s = (np.arange(points) + 0.5) * top / points
    late = a * (t[:, None] - r / c * np.cosh(s)) ** 2
    return ((1 - 2 * late) * np.exp(-late)).sum(axis=1) * top / points / (2 * np.pi)


def rayleigh(nu):
    """c_R / c_s, c_s / c_p: x^3 - 8 x^2 + (24 - 16 k) x - 16 (1 - k) = 0, x = (c_R / c_s)^2, k = (c_s / c_p)^2
    (Achenbach 1973, eq. 5.96)."""
    k = (1 - 2 * nu) / (2 - 2 * nu)
    x = [z.real for z in np.roots([1, -8, 24 - 16 * k, -16 * (1 - k)]) if abs(z.imag) < 1e-9 and 0 < z.real < 1]
    return np.sqrt(min(x)), np.sqrt(k)


# Frequencies in Hz of a free cube, E = rho = side = 1, nu = 0.3, with their multiplicities: Rayleigh-Ritz with Legendre
# products (Demarest 1971, J. Acoust. Soc. Am. 49, 768; Visscher et al. 1991, ibid. 90, 2154), degree 12, converged to all
# digits shown. The fourth is Lame's mode, sqrt(2) c_s / 2.
FREE_CUBE = [(0.281905, 2), (0.379613, 3), (0.386057, 3), (0.438529, 3), (0.451353, 3)]


def isotropic(young, nu):
    """Stiffness 6 x 6, order xx yy zz yz xz xy, engineering shear strains."""
    lame, mu = young * nu / ((1 + nu) * (1 - 2 * nu)), young / (2 * (1 + nu))
    c = np.diag([2 * mu] * 3 + [mu] * 3)
    c[:3, :3] += lame
    return c
