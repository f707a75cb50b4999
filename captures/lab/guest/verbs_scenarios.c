/* One connection a scenario, over librdmacm and libibverbs, to make an RNIC send what ordinary tools never make it send.
 *
 *   verbs_scenarios respond ADDRESS PORT             serves until killed
 *   verbs_scenarios play ADDRESS PORT SCENARIO       initiator; tells each completion and connection event
 *   verbs_scenarios list
 *
 * The initiator names the scenario in its private data, the responder's private data has its memory (struct offer).
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 20, RECEIVE_ID = 1000, NAME_SIZE = 32 };
enum { LOCAL_WRITE = IBV_ACCESS_LOCAL_WRITE, REMOTE_READ = IBV_ACCESS_REMOTE_READ, REMOTE_WRITE = IBV_ACCESS_REMOTE_WRITE };

/* The responder's buffer, registered in several ways. In its host's byte order: both ends are one machine. */
struct offer {
	uint64_t address;
	uint32_t key, length, key_read_only, key_write_only, key_deregistered, key_other_pd, key_to_invalidate, unused;
};

struct end {
	struct rdma_cm_id *id;
	struct ibv_pd *pd, *other_pd;
	struct ibv_cq *cq;
	struct ibv_mr *all, *read_only, *write_only, *of_other_pd, *to_invalidate;
	char *buffer;
	char scenario[NAME_SIZE];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int is(const char *a, const char *b) { return !strcmp(a, b); }
static int begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static struct ibv_mr *registered(struct ibv_pd *pd, char *buffer, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, buffer, BUFFER_SIZE, access);
	if (!mr)
		die("ibv_reg_mr");
	return mr;
}

static struct end *make_end(struct rdma_cm_id *id)
{
	struct end *e = calloc(1, sizeof *e);
	struct ibv_qp_init_attr qp = {.cap = {128, 128, 4, 4, 64}, .qp_type = IBV_QPT_RC};
	e->id = id;
	e->pd = ibv_alloc_pd(id->verbs);
	e->other_pd = ibv_alloc_pd(id->verbs);
	e->cq = ibv_create_cq(id->verbs, 512, NULL, NULL, 0);
	if (!e->pd || !e->other_pd || !e->cq)
		die("protection domain, completion queue");
	qp.send_cq = qp.recv_cq = e->cq;
	if (rdma_create_qp(id, e->pd, &qp))
		die("rdma_create_qp");
	if (posix_memalign((void **)&e->buffer, 4096, BUFFER_SIZE))
		die("memory");
	for (int i = 0; i < BUFFER_SIZE; i++)
		e->buffer[i] = "0123456789abcdef"[i & 15];
	e->all = registered(e->pd, e->buffer, LOCAL_WRITE | REMOTE_READ | REMOTE_WRITE);
	e->read_only = registered(e->pd, e->buffer, LOCAL_WRITE | REMOTE_READ);
	e->write_only = registered(e->pd, e->buffer, LOCAL_WRITE | REMOTE_WRITE);
	e->of_other_pd = registered(e->other_pd, e->buffer, LOCAL_WRITE | REMOTE_READ | REMOTE_WRITE);
	e->to_invalidate = registered(e->pd, e->buffer, LOCAL_WRITE | REMOTE_READ | REMOTE_WRITE);
	return e;
}

static void free_end(struct end *e)
{
	rdma_destroy_qp(e->id);
	rdma_destroy_id(e->id);
	ibv_destroy_cq(e->cq);
	ibv_dereg_mr(e->all);
	ibv_dereg_mr(e->read_only);
	ibv_dereg_mr(e->write_only);
	ibv_dereg_mr(e->of_other_pd);
	ibv_dereg_mr(e->to_invalidate);
	ibv_dealloc_pd(e->other_pd);
	ibv_dealloc_pd(e->pd);
	free(e->buffer);
	free(e);
}

static void post_receives(struct end *e, int count, uint32_t length)
{
	for (int i = 0; i < count; i++) {
		struct ibv_sge sge = {(uintptr_t)e->buffer, length, e->all->lkey};
		struct ibv_recv_wr receive = {.wr_id = RECEIVE_ID + i, .sg_list = &sge, .num_sge = 1}, *bad;
		if (ibv_post_recv(e->id->qp, &receive, &bad))
			die("ibv_post_recv");
	}
}

/* What a scenario's step posts. */
struct work {
	int opcode;
	uint32_t length;
	uint64_t address; /* of the responder's memory */
	uint32_t key;
	uint32_t at; /* in our buffer */
	int flags, pieces;
	uint32_t local_key; /* 0: the right one */
};

static void post(struct end *e, struct work w)
{
	struct ibv_sge sges[4];
	int pieces = w.pieces ? w.pieces : 1, status;
	struct ibv_send_wr send = {.wr_id = w.opcode, .sg_list = sges, .opcode = w.opcode,
	                           .send_flags = IBV_SEND_SIGNALED | w.flags}, *bad;
	for (int i = 0; i < pieces; i++) {
		uint32_t part = w.length / pieces;
		sges[i].addr = (uintptr_t)e->buffer + w.at + i * part;
		sges[i].length = i == pieces - 1 ? w.length - i * part : part;
		sges[i].lkey = w.local_key ? w.local_key : e->all->lkey;
	}
	send.num_sge = w.length || w.opcode == IBV_WR_RDMA_READ ? pieces : 0;
	send.wr.rdma.remote_addr = w.address;
	send.wr.rdma.rkey = w.key; /* also for Send with Invalidate: siw's provider in rdma-core 44 takes the STag from here */
	if (w.opcode == IBV_WR_SEND_WITH_INV)
		send.invalidate_rkey = w.key;
	status = ibv_post_send(e->id->qp, &send, &bad);
	printf("  post opcode %d, %u octets, key 0x%08x: %s\n", w.opcode, w.length, w.key, status ? strerror(status) : "ok");
}

#define SEND(...) post(e, (struct work){.opcode = IBV_WR_SEND, __VA_ARGS__})
#define SEND_INVALIDATE(...) post(e, (struct work){.opcode = IBV_WR_SEND_WITH_INV, __VA_ARGS__})
#define WRITE(...) post(e, (struct work){.opcode = IBV_WR_RDMA_WRITE, __VA_ARGS__})
#define READ(...) post(e, (struct work){.opcode = IBV_WR_RDMA_READ, __VA_ARGS__})

/* Takes completions until `wanted` are not of receives, or time is up. */
static void reap(struct end *e, int wanted, double seconds)
{
	double end = now() + seconds;
	struct ibv_wc wc;
	while (wanted > 0 && now() < end) {
		if (ibv_poll_cq(e->cq, 1, &wc) <= 0) {
			usleep(2000);
			continue;
		}
		printf("  completion %llu: %s\n", (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
		wanted -= wc.wr_id < RECEIVE_ID;
	}
}

static void to_error(struct end *e)
{
	struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_ERR};
	printf("  to Error: %d\n", ibv_modify_qp(e->id->qp, &attributes, IBV_QP_STATE));
}

/* --- the scenarios: each posts its work and returns how many completions to wait for ---------------------- */

typedef int Step(struct end *e, const struct offer *o);
#define UNUSED __attribute__((unused))
#define SCENARIO(name) static int play_##name(UNUSED struct end *e, UNUSED const struct offer *o)

SCENARIO(send) { SEND(.length = 100); return 1; }
SCENARIO(send_se) { SEND(.length = 100, .flags = IBV_SEND_SOLICITED); return 1; }
SCENARIO(send_inline) { SEND(.length = 40, .flags = IBV_SEND_INLINE); return 1; }
SCENARIO(send_sge) { SEND(.length = 10003, .pieces = 4); return 1; }
SCENARIO(send_inv) { SEND_INVALIDATE(.length = 100, .key = o->key_to_invalidate); return 1; }
SCENARIO(send_inv_se) { SEND_INVALIDATE(.length = 100, .key = o->key_to_invalidate, .flags = IBV_SEND_SOLICITED); return 1; }
SCENARIO(send_inv_big) { SEND_INVALIDATE(.length = 40000, .key = o->key_to_invalidate); return 1; }
SCENARIO(send_inv_bad) { SEND_INVALIDATE(.length = 100, .key = 0x12345678); return 1; }
SCENARIO(send_inv_use)
{
	SEND_INVALIDATE(.length = 100, .key = o->key_to_invalidate);
	WRITE(.length = 100, .address = o->address, .key = o->key_to_invalidate);
	READ(.length = 100, .address = o->address, .key = o->key);
	return 3;
}
SCENARIO(send0) { SEND(.length = 0); return 1; }
SCENARIO(write0) { WRITE(.length = 0); SEND(.length = 4); return 2; }
SCENARIO(read0) { READ(.length = 0); SEND(.length = 4); return 2; }

/* Sizes around the borders of FPDUs, one after the other. */
SCENARIO(sizes)
{
	static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 1000, 1430, 1431, 1432, 1433, 1434, 1440,
	                                 1444, 1448, 2896, 4095, 4096, 4097, 16384, 65535, 65536};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		SEND(.length = sizes[i]);
		reap(e, 1, 3);
		WRITE(.length = sizes[i], .address = o->address, .key = o->key);
		reap(e, 1, 3);
		READ(.length = sizes[i], .address = o->address, .key = o->key);
		reap(e, 1, 3);
	}
	return 0;
}
SCENARIO(burst)
{
	for (int i = 0; i < 8; i++) {
		READ(.length = 5000 + i, .address = o->address + i * 5000, .key = o->key, .at = i * 5000);
		WRITE(.length = 3000 + i, .address = o->address + 100000, .key = o->key);
		SEND(.length = 17 + i);
	}
	return 24;
}
SCENARIO(read_many)
{
	for (int i = 0; i < 40; i++)
		READ(.length = 1000, .address = o->address + i * 1000, .key = o->key, .at = i * 1000);
	return 40;
}

/* Accesses that the responder must refuse. */
SCENARIO(write_badrkey) { WRITE(.length = 100, .address = o->address, .key = 0xdeadbe00); return 1; }
SCENARIO(write_badkey8) { WRITE(.length = 100, .address = o->address, .key = o->key ^ 0x55); return 1; }
SCENARIO(write_oob) { WRITE(.length = 100, .address = o->address + o->length - 10, .key = o->key); return 1; }
SCENARIO(write_low) { WRITE(.length = 100, .address = o->address - 4096, .key = o->key); return 1; }
SCENARIO(write_wrap) { WRITE(.length = 100, .address = 0xfffffffffffffff0, .key = o->key); return 1; }
SCENARIO(write_big_oob) { WRITE(.length = 60000, .address = o->address + o->length - 20000, .key = o->key); return 1; }
SCENARIO(write_ro) { WRITE(.length = 100, .address = o->address, .key = o->key_read_only); return 1; }
SCENARIO(write_dereg) { WRITE(.length = 100, .address = o->address, .key = o->key_deregistered); return 1; }
SCENARIO(write_otherpd) { WRITE(.length = 100, .address = o->address, .key = o->key_other_pd); return 1; }
SCENARIO(read_badrkey) { READ(.length = 100, .address = o->address, .key = 0xdeadbe00); return 1; }
SCENARIO(read_oob) { READ(.length = 100, .address = o->address + o->length - 10, .key = o->key); return 1; }
SCENARIO(read_wo) { READ(.length = 100, .address = o->address, .key = o->key_write_only); return 1; }
SCENARIO(read_dereg) { READ(.length = 100, .address = o->address, .key = o->key_deregistered); return 1; }
SCENARIO(read_otherpd) { READ(.length = 100, .address = o->address, .key = o->key_other_pd); return 1; }
SCENARIO(recv_short_big) { SEND(.length = 30000); return 1; }

/* Refused by the initiator's own RNIC. */
SCENARIO(bad_lkey) { SEND(.length = 100, .local_key = e->all->lkey ^ 0x100); return 1; }
SCENARIO(write_imm)
{
	post(e, (struct work){.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .length = 100, .address = o->address, .key = o->key});
	return 1;
}
SCENARIO(atomic)
{
	post(e, (struct work){.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .length = 8, .address = o->address, .key = o->key});
	return 1;
}

SCENARIO(nothing) { return 0; }
SCENARIO(short_send) { SEND(.length = 50); return 1; }

/* Those of the last group, from norecv on, differ in what play(), answer() and react() do: they go by the name. */
#define SAME(name) {#name, play_##name}
#define OTHER(name, step) {#name, play_##step}
static const struct { const char *name; Step *step; } scenarios[] = {
	SAME(send), SAME(send_se), SAME(send_inline), SAME(send_sge), SAME(send_inv),
	SAME(send_inv_se), SAME(send_inv_big), SAME(send_inv_bad),
	SAME(send_inv_use), SAME(send0), SAME(write0), SAME(read0), SAME(sizes),
	SAME(burst), SAME(read_many),
	SAME(write_badrkey), SAME(write_badkey8), SAME(write_oob), SAME(write_low),
	SAME(write_wrap), SAME(write_big_oob), SAME(write_ro), SAME(write_dereg),
	SAME(write_otherpd), SAME(read_badrkey), SAME(read_oob), SAME(read_wo),
	SAME(read_dereg), SAME(read_otherpd), OTHER(norecv, send), OTHER(recv_short, send),
	SAME(recv_short_big), SAME(bad_lkey), SAME(write_imm), SAME(atomic),
	OTHER(close_now, nothing), OTHER(idle, short_send), OTHER(qp_err, short_send), OTHER(exit, short_send),
	OTHER(destroy, short_send),
	OTHER(srv_send, short_send), OTHER(srv_disc, short_send), OTHER(srv_qp_err, short_send), OTHER(srv_exit, short_send),
	OTHER(norecv_srv, short_send), OTHER(pd_max, short_send), OTHER(ord0, short_send), OTHER(ord1, short_send),
	OTHER(reject, nothing), OTHER(reject_nopd, nothing), OTHER(noanswer, nothing),
};

static Step *step_of(const char *name)
{
	for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
		if (is(scenarios[i].name, name))
			return scenarios[i].step;
	fprintf(stderr, "no scenario %s\n", name);
	exit(2);
}

/* --- both ends ------------------------------------------------------------------------------------------- */

static struct sockaddr *address_of(const char *address, const char *port)
{
	struct addrinfo *found;
	if (getaddrinfo(address, port, NULL, &found))
		die("getaddrinfo");
	return found->ai_addr;
}

static struct rdma_cm_event *event(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *e;
	if (rdma_get_cm_event(channel, &e))
		die("rdma_get_cm_event");
	printf("  event %s, status %d, %d octets of private data\n", rdma_event_str(e->event), e->status,
	       e->param.conn.private_data_len);
	return e;
}

static void expect(struct rdma_event_channel *channel, enum rdma_cm_event_type due)
{
	struct rdma_cm_event *e = event(channel);
	if (e->event != due)
		exit(3);
	rdma_ack_cm_event(e);
}

static void perhaps_event(struct rdma_event_channel *channel, int milliseconds)
{
	struct pollfd channel_ready = {channel->fd, POLLIN, 0};
	if (poll(&channel_ready, 1, milliseconds) == 1)
		rdma_ack_cm_event(event(channel));
}

static struct rdma_conn_param parameters_of(const char *name, char private_data[256])
{
	struct rdma_conn_param p = {.private_data = private_data, .private_data_len = NAME_SIZE, .responder_resources = 16,
	                            .initiator_depth = 16, .retry_count = 7, .rnr_retry_count = 7};
	memset(private_data, 0, NAME_SIZE);
	memset(private_data + NAME_SIZE, 0x5a, 256 - NAME_SIZE);
	snprintf(private_data, NAME_SIZE, "%s", name);
	if (is(name, "pd_max"))
		p.private_data_len = 250;
	if (is(name, "ord1"))
		p.initiator_depth = 1;
	if (is(name, "ord0"))
		p.initiator_depth = p.responder_resources = 0;
	return p;
}

static void play(const char *address, const char *port, const char *name)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_id *id;
	struct rdma_cm_event *established;
	struct offer offer = {0};
	char private_data[256];
	struct rdma_conn_param parameters = parameters_of(name, private_data);
	Step *step = step_of(name);
	struct end *e;

	printf("%s\n", name);
	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		die("rdma_create_id");
	if (rdma_resolve_addr(id, NULL, address_of(address, port), 2000))
		die("rdma_resolve_addr");
	expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rdma_resolve_route(id, 2000))
		die("rdma_resolve_route");
	expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	e = make_end(id);
	if (!is(name, "norecv_srv"))
		post_receives(e, 32, 65536);
	if (rdma_connect(id, &parameters))
		die("rdma_connect");
	established = event(channel);
	if (established->event != RDMA_CM_EVENT_ESTABLISHED)
		exit(3);
	if (established->param.conn.private_data_len >= sizeof offer)
		memcpy(&offer, established->param.conn.private_data, sizeof offer);
	printf("  IRD %d, ORD %d\n", established->param.conn.responder_resources, established->param.conn.initiator_depth);
	rdma_ack_cm_event(established);

	reap(e, step(e, &offer), 3);
	if (is(name, "exit")) {
		fflush(stdout);
		_exit(0);
	}
	if (is(name, "qp_err"))
		to_error(e);
	if (is(name, "destroy"))
		rdma_destroy_qp(id);
	if (is(name, "qp_err") || is(name, "destroy"))
		usleep(300000);
	if (begins(name, "srv_") || is(name, "norecv_srv"))
		usleep(500000);
	reap(e, 64, 0.4);
	perhaps_event(channel, 50);
	rdma_disconnect(id);
	usleep(200000);
	perhaps_event(channel, 500);
}

/* A connection request: refused, left alone, or accepted with an offer of memory. */
static struct end *answer(struct rdma_cm_event *request)
{
	const struct rdma_conn_param *asked = &request->param.conn;
	struct rdma_conn_param accepting = {.responder_resources = asked->responder_resources,
	                                    .initiator_depth = asked->initiator_depth};
	struct rdma_cm_id *id = request->id;
	char name[NAME_SIZE] = "";
	struct ibv_mr *deregistered;
	struct offer offer;
	struct end *e;

	if (asked->private_data_len >= NAME_SIZE)
		memcpy(name, asked->private_data, NAME_SIZE - 1);
	rdma_ack_cm_event(request);
	if (is(name, "noanswer"))
		return NULL;
	if (begins(name, "reject")) {
		rdma_reject(id, is(name, "reject") ? "not today" : NULL, is(name, "reject") ? 9 : 0);
		return NULL;
	}
	e = make_end(id);
	strcpy(e->scenario, name);
	deregistered = registered(e->pd, e->buffer, LOCAL_WRITE | REMOTE_READ | REMOTE_WRITE);
	offer = (struct offer){(uintptr_t)e->buffer, e->all->rkey, BUFFER_SIZE, e->read_only->rkey, e->write_only->rkey,
	                       deregistered->rkey, e->of_other_pd->rkey, e->to_invalidate->rkey, 0};
	ibv_dereg_mr(deregistered);
	if (begins(name, "recv_short"))
		post_receives(e, 8, 16);
	else if (!is(name, "norecv"))
		post_receives(e, 64, 65536);
	accepting.private_data = &offer;
	accepting.private_data_len = sizeof offer;
	if (rdma_accept(id, &accepting))
		perror("rdma_accept");
	return e;
}

/* What the responder does when the first Send has come. */
static void react(struct end *e)
{
	if (is(e->scenario, "srv_qp_err"))
		to_error(e);
	else if (is(e->scenario, "srv_disc"))
		rdma_disconnect(e->id);
	else if (is(e->scenario, "srv_exit"))
		_exit(0);
	else if (is(e->scenario, "srv_send") || is(e->scenario, "norecv_srv") || is(e->scenario, "idle"))
		SEND(.length = 200);
}

/* One connection at a time, as the scenarios come. */
static void respond(const char *address, const char *port)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct pollfd channel_ready = {channel->fd, POLLIN, 0};
	struct rdma_cm_id *listener;
	struct rdma_cm_event *e;
	struct end *current = NULL;
	struct ibv_wc wc;
	int reacted = 0;

	if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP))
		die("rdma_create_id");
	if (rdma_bind_addr(listener, address_of(address, port)) || rdma_listen(listener, 64))
		die("listen");
	for (;;) {
		int ready = poll(&channel_ready, 1, 5);
		while (current && ibv_poll_cq(current->cq, 1, &wc) > 0) {
			if (wc.status != IBV_WC_WR_FLUSH_ERR)
				printf("  completion %llu: %s\n", (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
			if (!wc.status && wc.opcode & IBV_WC_RECV && !reacted++)
				react(current);
		}
		if (ready != 1)
			continue;
		e = event(channel);
		if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
			struct end *accepted = answer(e);
			if (accepted) {
				current = accepted;
				reacted = 0;
			}
		} else if (e->event == RDMA_CM_EVENT_DISCONNECTED && current && e->id == current->id) {
			rdma_ack_cm_event(e);
			rdma_disconnect(current->id);
			free_end(current);
			current = NULL;
		} else {
			rdma_ack_cm_event(e);
		}
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && is(argv[1], "respond"))
		respond(argv[2], argv[3]);
	else if (argc == 5 && is(argv[1], "play"))
		play(argv[2], argv[3], argv[4]);
	else if (argc == 2 && is(argv[1], "list"))
		for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
			puts(scenarios[i].name);
	else {
		fprintf(stderr, "usage: verbs_scenarios respond ADDRESS PORT | play ADDRESS PORT SCENARIO | list\n");
		return 2;
	}
	return 0;
}
