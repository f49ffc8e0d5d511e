/* Memory arrangement of blocks: what a block reads of others lies where its table loads it from. */
#include "papers/pogo/arrange.h"
#include "papers/pogo/links.h"
#include "graph/order.h"
#include "support/mesh.h"

typedef struct plate {
  hk_mesh *mesh;
  hk_adjacency *graph;
  hk_blocks blocks;
} plate;

/* A jittered plate in random numbering, in blocks of nodes that bisection makes neighbours. */
static plate make_plate(hk_shape shape, int cells, int size)
{
  plate p = {.blocks = {.size = size}};
  hk_index *order = NULL;
  p.mesh = make_grid((hk_mesh_grid){
      .to = {1, 0.8}, .cells = {cells, cells}, .shape = shape, .jitter = 0.3, .shuffle = 3});
  ok(hk_adjacency_create(p.mesh, &p.graph));
  p.blocks.nodes = p.graph->nodes;
  p.blocks.blocks = (p.blocks.nodes + size - 1) / size;
  ok(hk_get(&order, p.blocks.nodes));
  ok(hk_get(&p.blocks.block, p.blocks.nodes));
  for (hk_index i = 0; i < p.blocks.nodes; i++) order[i] = i;
  ok(hk_order_bisect(p.mesh->x, 2, size, p.blocks.nodes, order));
  for (hk_index i = 0; i < p.blocks.nodes; i++) p.blocks.block[order[i]] = i / size;
  hk_free(&order);
  return p;
}

static void clear_plate(plate *p)
{
  hk_free(&p->blocks.block);
  hk_free(&p->blocks.place);
  hk_adjacency_destroy(&p->graph);
  hk_mesh_destroy(&p->mesh);
}

/* Node that the tile of `block` holds at `at`, -1 none; written out from the layout of papers/pogo/arrange.h. */
static hk_index node_in_tile(const plate *p, const hk_block_links *links, const hk_index *of_place,
                             hk_index block, int at)
{
  const int size = p->blocks.size, *load = links->layout.load;
  int bank = 0, length = 32;
  if (at < size) return of_place[(hk_count)block * size + at];
  at -= size;
  if (at < 32 * load[0])
    bank = at / 32;
  else if ((at -= 32 * load[0]) < 16 * load[1])
    bank = load[0] + at / 16, length = 16;
  else if ((at -= 16 * load[1]) < 8 * load[2])
    bank = load[0] + load[1] + at / 8, length = 8;
  else
    return -1;
  const uint32_t entry = links->table[block * links->layout.loads + bank];
  if (entry == HK_BLOCK_NO_LOAD) return -1;
  const int column = (int)(entry & 3) * 8 + at % length, row = (int)(entry >> 2 & 63);
  assert_true((hk_index)(entry >> 8) < p->blocks.blocks && column < 32 &&
              row < links->layout.boundary);
  return of_place[(hk_count)(entry >> 8) * size + row * 32 + column];
}

/* Each node has a place of its own; each link lies in the block or in a section that it loads. */
static void check_arrangement(const plate *p)
{
  hk_block_links *links = NULL;
  hk_index *of_place = NULL;
  const hk_count places = (hk_count)p->blocks.blocks * p->blocks.size;
  ok(hk_blocks_link(p->graph, &p->blocks, &links));
  ok(hk_get(&of_place, places));
  for (hk_count i = 0; i < places; i++) of_place[i] = -1;
  for (hk_index i = 0; i < p->blocks.nodes; i++) {
    const int place = p->blocks.place[i];
    assert_true(place >= 0 && place < p->blocks.size);
    hk_index *node = &of_place[(hk_count)p->blocks.block[i] * p->blocks.size + place];
    assert_int_equal(*node, -1);
    *node = i;
  }
  for (hk_index i = 0; i < p->graph->nodes; i++)
    for (hk_index k = p->graph->begin[i]; k < p->graph->begin[i + 1]; k++) {
      const hk_index j = p->graph->node[k], b = p->blocks.block[i], from = p->blocks.block[j];
      const int at =
          from == b ? p->blocks.place[j] : hk_block_links_find(links, b, from, p->blocks.place[j]);
      assert_int_equal(node_in_tile(p, links, of_place, b, at), j);
    }
  hk_free(&of_place);
  hk_block_links_destroy(&links);
}

/* at 512 nodes: 4 rows of boundary, 2 + 10 + 8 sections, a tile of 32 x 25 (section 2.3) */
static void paper_layout(void **state)
{
  const hk_block_layout k = hk_block_layout_of(2, 512);
  (void)state;
  assert_int_equal(k.rows, 16);
  assert_int_equal(k.boundary, 4);
  assert_int_equal(k.load[0], 2);
  assert_int_equal(k.load[1], 10);
  assert_int_equal(k.load[2], 8);
  assert_int_equal(k.loads, 20);
  assert_int_equal(k.size + k.linked, 32 * 25);
}

/* any size: whole rows, a row number of 6 bits, numbers of loads of 10 bits; a solid has no fewer loads than a plane mesh */
static void every_layout(void **state)
{
  (void)state;
  for (int size = 32; size <= 32768; size += 32)
    for (int dim = 2; dim <= 3; dim++) {
      const hk_block_layout k = hk_block_layout_of(dim, size), flat = hk_block_layout_of(2, size);
      assert_true(k.boundary >= 1 && k.boundary <= k.rows && k.boundary <= 64);
      assert_int_equal(k.linked % 32, 0);
      for (int kind = 0; kind < 3; kind++) assert_true(k.load[kind] > 0 && k.load[kind] < 1024);
      assert_true(k.loads >= flat.loads);
    }
}

/* of solids at 512 nodes: 144 sections, in any row; a tile of 32 x 52 */
static void solid_layout(void **state)
{
  const hk_block_layout k = hk_block_layout_of(3, 512);
  (void)state;
  assert_int_equal(k.boundary, 16);
  assert_int_equal(4 * k.load[0] + 2 * k.load[1] + k.load[2], 144);
  assert_int_equal(k.size + k.linked, 32 * 52);
}

/* every link of random meshes is reachable, for blocks of 32 to 2048 nodes */
static void links_are_reachable(void **state)
{
  static const hk_shape shape[] = {HK_TRI3, HK_QUAD4};
  (void)state;
  for (int s = 0; s < 2; s++)
    for (int size = 32; size <= 2048; size *= 2) {
      plate p = make_plate(shape[s], 120, size);
      ok(hk_blocks_arrange(p.graph, &p.blocks));
      check_arrangement(&p);
      assert_true((double)p.blocks.nodes / p.blocks.blocks / size > 0.85);
      clear_plate(&p);
    }
}

/* A solid in random numbering, cut into boxes; of wedges where the shape is HK_WEDGE6. A quarter of its elements is missing where `holes`. */
static plate make_solid(hk_shape shape, int cells, bool holes, int size)
{
  plate p = {0};
  hk_blocks *made = NULL;
  const hk_mesh_grid grid = {
      .cells = {cells, cells, cells}, .shape = shape == HK_WEDGE6 ? HK_TRI3 : shape, .jitter = 0.3};
  p.mesh = shape == HK_WEDGE6 ? make_prisms(grid, 1, &(hk_mesh_layer){.height = 1, .cells = cells})
                              : make_grid(grid);
  if (holes) punch(p.mesh);
  shuffle_nodes(p.mesh);
  ok(hk_adjacency_create(p.mesh, &p.graph));
  ok(hk_blocks_partition(p.mesh, p.graph,
                         &(hk_partition_desc){.method = HK_PARTITION_BISECTION, .size = size},
                         &made));
  p.blocks = *made;
  assert_int_equal(p.blocks.dim, 3);
  hk_free(&made);
  return p;
}

/* every link of random solids is reachable, for blocks of 32 to 2048 nodes; none is split */
static void links_of_solids_are_reachable(void **state)
{
  static const hk_shape shape[] = {HK_TET4, HK_HEX8, HK_WEDGE6};
  (void)state;
  for (int s = 0; s < 3; s++)
    for (int size = 32; size <= 2048; size *= 4)
      for (int holes = 0; holes < 2; holes++) {
        plate p = make_solid(shape[s], 20, holes, size);
        const hk_index before = p.blocks.blocks;
        ok(hk_blocks_arrange(p.graph, &p.blocks));
        check_arrangement(&p);
        assert_int_equal(p.blocks.blocks, before);
        clear_plate(&p);
      }
}

/* Sections of 8 places that block b reads. */
static int sections_read(const plate *p, hk_index b)
{
  hk_needed needed = {0};
  int sections = 0;
  ok(hk_needed_start(&needed, p->blocks.blocks));
  for (hk_index i = 0; i < p->graph->nodes; i++)
    for (hk_index q = p->graph->begin[i]; p->blocks.block[i] == b && q < p->graph->begin[i + 1];
         q++) {
      const hk_index j = p->graph->node[q];
      if (p->blocks.block[j] != b)
        ok(hk_needed_add(&needed, p->blocks.block[j], p->blocks.place[j]));
    }
  ok(hk_needed_finish(&needed));
  for (hk_index k = 0; k < needed.count; k++)
    sections += __builtin_popcount(needed.row[k].sections);
  hk_needed_clear(&needed);
  return sections;
}

/* cubes of 8 x 8 x 8 nodes of hexahedra: the one in the middle reads 6 x 64 + 12 x 8 + 8 nodes, for which 68 sections are least; 104 suffice */
static void cubes_read_few_sections(void **state)
{
  plate p = {.blocks = {.size = 512, .blocks = 27, .dim = 3}};
  (void)state;
  p.mesh = make_grid(
      (hk_mesh_grid){.to = {23, 23, 23}, .cells = {23, 23, 23}, .shape = HK_HEX8, .shuffle = 5});
  ok(hk_adjacency_create(p.mesh, &p.graph));
  p.blocks.nodes = p.graph->nodes;
  ok(hk_get(&p.blocks.block, p.blocks.nodes));
  for (hk_index i = 0; i < p.blocks.nodes; i++) {
    const double *x = p.mesh->x + 3 * (hk_count)i;
    p.blocks.block[i] =
        (int)(x[0] + .5) / 8 + 3 * ((int)(x[1] + .5) / 8 + 3 * ((int)(x[2] + .5) / 8));
  }
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  assert_int_equal(p.blocks.blocks, 27);
  check_arrangement(&p);
  assert_in_range(sections_read(&p, 13), 68, 104);
  clear_plate(&p);
}

/* tetrahedra in slabs that are all boundary: the tables of solids hold them whole, those of plane meshes when they are split */
static void slabs_of_solids(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    plate p = {.blocks = {.size = 512, .dim = dim}};
    p.mesh = make_grid((hk_mesh_grid){.to = {1, 1, 1}, .cells = {14, 14, 14}, .shape = HK_TET4});
    ok(hk_adjacency_create(p.mesh, &p.graph));
    p.blocks.nodes = p.graph->nodes;
    p.blocks.blocks = (p.blocks.nodes + 511) / 512;
    ok(hk_get(&p.blocks.block, p.blocks.nodes));
    for (hk_index i = 0; i < p.blocks.nodes; i++) p.blocks.block[i] = i / 512;
    const hk_index before = p.blocks.blocks;
    ok(hk_blocks_arrange(p.graph, &p.blocks));
    assert_true(dim == 3 ? p.blocks.blocks == before : p.blocks.blocks > before);
    check_arrangement(&p);
    clear_plate(&p);
  }
}

/* nodes of a solid dealt out at random: split until every link is reachable */
static void bad_solids_are_split(void **state)
{
  plate p = make_solid(HK_TET4, 12, false, 512);
  (void)state;
  p.blocks.blocks = 6;
  for (hk_index i = 0; i < p.blocks.nodes; i++) p.blocks.block[i] = i % 6;
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  assert_true(p.blocks.blocks > 12);
  check_arrangement(&p);
  clear_plate(&p);
}

/* nodes dealt out to blocks at random: split until every link is reachable */
static void bad_blocks_are_split(void **state)
{
  plate p = make_plate(HK_TRI3, 40, 512);
  (void)state;
  srand(5);
  hk_index count[4] = {0};
  for (hk_index i = 0; i < p.blocks.nodes; i++) {
    hk_index b = rand() % 4;
    while (count[b] == 512) b = (b + 1) % 4;
    p.blocks.block[i] = b, count[b]++;
  }
  p.blocks.blocks = 4;
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  assert_true(p.blocks.blocks > 8);
  check_arrangement(&p);
  clear_plate(&p);
}

/* two blocks of 256 x 2 nodes, whose boundary of 256 the tables could load but four rows do not hold */
static void long_boundaries_are_split(void **state)
{
  plate p = {.blocks = {.size = 512, .blocks = 2}};
  (void)state;
  p.mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {255, 3}, .shape = HK_TRI3});
  ok(hk_adjacency_create(p.mesh, &p.graph));
  p.blocks.nodes = p.graph->nodes;
  ok(hk_get(&p.blocks.block, p.blocks.nodes));
  for (hk_index i = 0; i < p.blocks.nodes; i++) p.blocks.block[i] = i / 512;
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  assert_true(p.blocks.blocks > 2);
  check_arrangement(&p);
  clear_plate(&p);
}

/* a grid of squares cut in two, in blocks of 32 x 16: no block fails, an inner one takes the paper's
 * 2 x 32 nodes, and sections for 2 x 16 nodes and the two corners */
static void structured_blocks(void **state)
{
  plate p = {.blocks = {.size = 512, .blocks = 16}};
  hk_block_links *links = NULL;
  (void)state;
  p.mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {127, 63}, .shape = HK_TRI3});
  ok(hk_adjacency_create(p.mesh, &p.graph));
  p.blocks.nodes = p.graph->nodes;
  ok(hk_get(&p.blocks.block, p.blocks.nodes));
  for (hk_index i = 0; i < p.blocks.nodes; i++) p.blocks.block[i] = i / 128 / 16 * 4 + i % 128 / 32;
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  assert_int_equal(p.blocks.blocks, 16);
  check_arrangement(&p);
  ok(hk_blocks_link(p.graph, &p.blocks, &links));
  for (hk_index b = 0; b < 16; b++) {
    int nodes = 0;
    for (int k = 0; k < 20; k++)
      if (links->table[b * 20 + k] != HK_BLOCK_NO_LOAD) nodes += k < 2 ? 32 : k < 12 ? 16 : 8;
    const bool inside = b / 4 % 3 && b % 4 % 3;
    assert_true(nodes > 0 && (!inside || (nodes >= 112 && nodes <= 208)));
  }
  hk_block_links_destroy(&links);
  clear_plate(&p);
}

/* places 0, 1, ... go round the boundary from a join: of all neighbours on the ring that others read differently, the first and the last
 * have fewest readers in common */
static void boundaries_begin_at_a_join(void **state)
{
  plate p = make_plate(HK_TRI3, 120, 128);
  uint64_t *read = NULL; /* read[block][place]: its blocks beside it that read the node */
  hk_needed needed = {0};
  int moved = 0;
  (void)state;
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  ok(hk_get(&read, (hk_count)p.blocks.blocks * p.blocks.size));
  for (hk_index b = 0; b < p.blocks.blocks; b++) {
    uint64_t *of = read + (hk_count)b * p.blocks.size;
    int boundary = 0, least = 64;
    ok(hk_needed_start(&needed, p.blocks.blocks));
    for (hk_index i = 0; i < p.graph->nodes; i++)
      for (hk_index q = p.graph->begin[i]; p.blocks.block[i] == b && q < p.graph->begin[i + 1];
           q++) {
        const hk_index other = p.blocks.block[p.graph->node[q]];
        if (other == b) continue;
        ok(hk_needed_add(&needed, other, 0));
        of[p.blocks.place[i]] |= (uint64_t)1 << (needed.slot[other] - 1);
      }
    assert_true(needed.neighbours < 64);
    while (boundary < p.blocks.size && of[boundary]) boundary++;
    for (int k = 0; k < boundary; k++) {
      const uint64_t before = of[k ? k - 1 : boundary - 1];
      const int same = __builtin_popcountll(before & of[k]);
      if (before != of[k] && same < least) least = same;
    }
    if (least == 64) continue;
    assert_true(of[0] != of[boundary - 1]);
    assert_int_equal(__builtin_popcountll(of[0] & of[boundary - 1]), least);
    moved++;
  }
  assert_true(moved > 50);
  hk_needed_clear(&needed);
  hk_free(&read);
  clear_plate(&p);
}

/* rows come first by more nodes, then those that smaller loads serve worse; the rest as section 3.2 says */
static void priorities(void **state)
{
  const hk_block_layout layout = hk_block_layout_of(2, 512);
  static const uint8_t column[] = {8,
                                   24,
                                   /* b1 r0: two apart */ 0,
                                   8 /* b1 r1: two side by side */,
                                   0,
                                   8,
                                   16,
                                   24 /* b2 r3: all */,
                                   24 /* b4 r2: the last */};
  static const uint8_t block[] = {1, 1, 1, 1, 2, 2, 2, 2, 4}, row[] = {0, 0, 1, 1, 3, 3, 3, 3, 2};
  hk_needed needed = {0};
  uint32_t table[20];
  (void)state;
  ok(hk_needed_start(&needed, 5));
  for (int k = 8; k >= 0; k--) ok(hk_needed_add(&needed, block[k], row[k] * 32 + column[k] + 3));
  ok(hk_needed_finish(&needed));
  assert_true(hk_needed_assign(&needed, &layout, table));
  assert_int_equal(table[0], 2 << 8 | 3 << 2 | 0);
  assert_int_equal(table[1], 1 << 8 | 0 << 2 | 0);
  assert_int_equal(table[2], 1 << 8 | 1 << 2 | 0);
  assert_int_equal(table[3], 4 << 8 | 2 << 2 | 2); /* columns 16 to 31 */
  for (int k = 4; k < 20; k++) assert_true(table[k] == HK_BLOCK_NO_LOAD);
  hk_needed_clear(&needed);
}

/* 8 single sections, then 12 pairs: pairs come first, for singles would take their loads */
static void pairs_come_first(void **state)
{
  const hk_block_layout layout = hk_block_layout_of(2, 512);
  hk_needed needed = {0};
  uint32_t table[20];
  (void)state;
  ok(hk_needed_start(&needed, 20));
  for (int k = 0; k < 20; k++)
    for (int s = 0; s < 1 + (k >= 8); s++) ok(hk_needed_add(&needed, k, 8 + 8 * s));
  ok(hk_needed_finish(&needed));
  assert_true(hk_needed_assign(&needed, &layout, table));
  for (int k = 0; k < 20; k++) assert_int_equal(table[k] >> 8, k < 12 ? k + 8 : k - 12);
  hk_needed_clear(&needed);
}

/* 20 places far apart pass, 21 do not */
static void table_is_bounded(void **state)
{
  const hk_block_layout layout = hk_block_layout_of(2, 512);
  hk_needed needed = {0};
  uint32_t table[20];
  (void)state;
  for (int places = 20; places <= 21; places++) {
    ok(hk_needed_start(&needed, 30));
    for (int k = 0; k < places; k++) ok(hk_needed_add(&needed, k, 40));
    ok(hk_needed_finish(&needed));
    assert_int_equal(hk_needed_assign(&needed, &layout, table), places == 20);
  }
  hk_needed_clear(&needed);
}

/* the same blocks give the same places, bit by bit */
static void reproducible(void **state)
{
  plate p[2] = {make_plate(HK_QUAD4, 90, 512), make_plate(HK_QUAD4, 90, 512)};
  (void)state;
  for (int k = 0; k < 2; k++) ok(hk_blocks_arrange(p[k].graph, &p[k].blocks));
  assert_int_equal(p[0].blocks.blocks, p[1].blocks.blocks);
  const size_t bytes = (size_t)p[0].blocks.nodes * sizeof(hk_index);
  assert_memory_equal(p[0].blocks.block, p[1].blocks.block, bytes);
  assert_memory_equal(p[0].blocks.place, p[1].blocks.place, bytes);
  for (int k = 0; k < 2; k++) clear_plate(&p[k]);
}

/* rows of inner nodes are alike: the longest of each row is at most a link above the mean of all */
static void rows_are_alike(void **state)
{
  plate p = make_plate(HK_TRI3, 150, 512);
  hk_count links = 0, longest = 0;
  uint8_t *most = NULL;
  (void)state;
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  ok(hk_get(&most, p.blocks.blocks * 16));
  for (hk_index i = 0; i < p.graph->nodes; i++) {
    const hk_index n = p.graph->begin[i + 1] - p.graph->begin[i] + 1;
    uint8_t *of = &most[p.blocks.block[i] * 16 + p.blocks.place[i] / 32];
    if (n > *of) *of = (uint8_t)n;
    links += n;
  }
  for (hk_index r = 0; r < p.blocks.blocks * 16; r++) longest += most[r];
  assert_true(longest > 0 && (double)longest * 32 < 1.1 * (double)links);
  hk_free(&most);
  clear_plate(&p);
}

/* places of another arrangement are refused in words */
static void wrong_places_are_refused(void **state)
{
  plate p = make_plate(HK_TRI3, 60, 512);
  hk_block_links *links = NULL;
  (void)state;
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  for (hk_index i = 0; i < p.blocks.nodes; i++) p.blocks.place[i] = 511 - p.blocks.place[i];
  assert_int_equal(hk_blocks_link(p.graph, &p.blocks, &links), HK_BAD_INPUT);
  error_says("partition this mesh again");
  assert_null(links);
  clear_plate(&p);
}

/* 2000 nodes around one: refused in words, whatever is split */
static void hub_is_refused(void **state)
{
  enum { SPOKES = 2000 };
  hk_index *begin = NULL, *node = NULL;
  hk_blocks blocks = {.nodes = SPOKES + 1, .blocks = 4, .size = 512};
  (void)state;
  ok(hk_get(&begin, SPOKES + 2));
  ok(hk_get(&node, 2 * SPOKES));
  ok(hk_get(&blocks.block, SPOKES + 1));
  for (int i = 0; i < SPOKES; i++) node[i] = i + 1, begin[i + 1] = SPOKES + i;
  for (int i = 0; i <= SPOKES; i++) blocks.block[i] = i / 512;
  begin[SPOKES + 1] = 2 * SPOKES;
  const hk_adjacency graph = {.nodes = SPOKES + 1, .begin = begin, .node = node};
  assert_int_equal(hk_blocks_arrange(&graph, &blocks), HK_BAD_INPUT);
  error_says("method stored");
  hk_free(&begin);
  hk_free(&node);
  hk_free(&blocks.block);
  hk_free(&blocks.place);
}

/* an allocation that fails gives HK_NO_RESOURCES and leaves nothing behind */
static void allocations_fail(void **state)
{
  (void)state;
  hk_status status = HK_NO_RESOURCES;
  int k = 1;
  for (; status != HK_OK; k++) {
    plate p = make_plate(HK_TRI3, 60, 512);
    hk_block_links *links = NULL;
    const hk_count held = hk_memory_held();
    hk_memory_fail_at(k);
    status = hk_blocks_arrange(p.graph, &p.blocks);
    if (status == HK_OK) status = hk_blocks_link(p.graph, &p.blocks, &links);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    hk_block_links_destroy(&links);
    hk_free(&p.blocks.place);
    assert_int_equal(hk_memory_held(), held);
    clear_plate(&p);
  }
  assert_true(k > 20);
}

/* a strip whose boundary has no room is split; the squares beside it, which read it, stay as they are */
static void neighbours_of_failed_blocks_stay(void **state)
{
  enum { SIZE = 2048, WIDTH = 47, HEIGHT = 600, SIDE = 40 };
  plate p = {.blocks = {.size = SIZE}};
  int whole = 0;
  hk_index *count = NULL;
  (void)state;
  p.mesh = make_grid(
      (hk_mesh_grid){.to = {WIDTH, HEIGHT}, .cells = {WIDTH - 1, HEIGHT - 1}, .shape = HK_QUAD4});
  ok(hk_adjacency_create(p.mesh, &p.graph));
  p.blocks.nodes = p.graph->nodes, p.blocks.blocks = 1 + HEIGHT / SIDE;
  ok(hk_get(&p.blocks.block, p.blocks.nodes));
  for (hk_index i = 0; i < p.blocks.nodes; i++) {
    const double *x = p.mesh->x + 2 * (hk_count)i, width = WIDTH / (WIDTH - 1.0),
                 height = HEIGHT / (HEIGHT - 1.0);
    p.blocks.block[i] = x[0] < 1.5 * width ? 0 : 1 + (int)(x[1] / height + .5) / SIDE;
  }
  ok(hk_blocks_arrange(p.graph, &p.blocks));
  ok(hk_get(&count, p.blocks.blocks));
  for (hk_index i = 0; i < p.blocks.nodes; i++) count[p.blocks.block[i]]++;
  for (hk_index b = 0; b < p.blocks.blocks; b++) whole += count[b] == (WIDTH - 2) * SIDE;
  assert_int_equal(whole, HEIGHT / SIDE);
  assert_true(p.blocks.blocks > 1 + HEIGHT / SIDE);
  check_arrangement(&p);
  hk_free(&count);
  clear_plate(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_of_failed_blocks_stay),
      cmocka_unit_test(paper_layout),
      cmocka_unit_test(every_layout),
      cmocka_unit_test(solid_layout),
      cmocka_unit_test(links_of_solids_are_reachable),
      cmocka_unit_test(cubes_read_few_sections),
      cmocka_unit_test(links_are_reachable),
      cmocka_unit_test(slabs_of_solids),
      cmocka_unit_test(bad_solids_are_split),
      cmocka_unit_test(bad_blocks_are_split),
      cmocka_unit_test(long_boundaries_are_split),
      cmocka_unit_test(structured_blocks),
      cmocka_unit_test(boundaries_begin_at_a_join),
      cmocka_unit_test(priorities),
      cmocka_unit_test(pairs_come_first),
      cmocka_unit_test(table_is_bounded),
      cmocka_unit_test(reproducible),
      cmocka_unit_test(rows_are_alike),
      cmocka_unit_test(wrong_places_are_refused),
      cmocka_unit_test(hub_is_refused),
      cmocka_unit_test(allocations_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
