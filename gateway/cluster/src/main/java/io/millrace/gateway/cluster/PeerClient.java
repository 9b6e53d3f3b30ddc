package io.millrace.gateway.cluster;

import io.millrace.auth.Sha256;
import io.millrace.auth.session.RevocationDecision;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutboundSettings;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.ResponseBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.monitor.LogPause;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Sends messages to the other members over a few connections to each. Nothing is sent again by it, and nobody waits
 * longer than two seconds for a response to a message, and ten for the answer to a call. Thread-safe; never blocks.
 */
final class PeerClient implements PeerNet {
    /** To one member: an announcement is sent again after half a second, and a lease is requested as often as that. */
    private static final int MOST_CONNECTIONS = 8;

    private static final Duration CONNECT = Duration.ofMillis(250);

    /** A lease is of no use then, and writes wait for one second at most, or for the end of leases. */
    private static final Duration LONGEST = Duration.ofSeconds(2);

    /** A step of a scan takes a second, and as long as a slow disk. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

    /** To one member: few operators ask at a time, and leases do not wait for them. */
    private static final int MOST_CALLS = 4;

    /** The most reads that are relayed to one member at a time. */
    static final int MOST_READS = 48;

    /** The most bytes of one read of a socket: few connections hold so much, and each read costs two threads a turn. */
    private static final int READ_BYTES = 128 << 10;

    /** A read that finds no free connection asks elsewhere. */
    private static final Duration LONGEST_QUEUE = Duration.ofMillis(50);

    /** The home takes as long as its backend does, also within a body; whether it lives is asked beside. */
    private static final HttpTimeouts READ_TIMEOUTS =
            new HttpTimeouts(Duration.ofMinutes(5), Duration.ofMinutes(1), Duration.ofMinutes(1));

    /** The status by which a member of an earlier release refuses a message that it does not know; without a proof. */
    private static final int NO_SUCH_PATH = 404;

    private static final byte[] NOTHING = "{}".getBytes(StandardCharsets.US_ASCII);
    private static final Logger log = LoggerFactory.getLogger(PeerClient.class);

    private final String cluster;
    private final PeerKey key;
    private final PeerStores stores;
    private final PeerRevocations revocations;
    private final PeerClock clock;
    private final InstantSource wallClock;
    private final HttpConnectionPool pool;
    private final Road messages;
    private final HttpConnectionPool callPool;
    private final Road calls;
    private final HttpConnectionPool readPool;
    private final HttpRequestSender readSender;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, PeerContact> contacts = new ConcurrentHashMap<>();
    private final LogPause logPause = new LogPause();
    private final List<Mono<Void>> goodbyes = new CopyOnWriteArrayList<>();
    private volatile Map<String, PeerAddress> addresses = Map.of();

    /**
     * Opens no connection yet.
     *
     * @param tls empty for plain HTTP
     * @throws IllegalArgumentException if a file of {@code tls} cannot be used; the message says what to do
     */
    PeerClient(
            String cluster,
            PeerKey key,
            PeerStores stores,
            PeerRevocations revocations,
            Optional<BackendTlsSettings> tls,
            PeerClock clock,
            InstantSource wallClock) {
        this.cluster = cluster;
        this.key = key;
        this.stores = stores;
        this.revocations = revocations;
        this.clock = clock;
        this.wallClock = wallClock;
        OutboundSettings outbound = new OutboundSettings(tls.orElse(BackendTlsSettings.DEFAULTS), Optional.empty());
        this.pool =
                new HttpConnectionPool(new HttpPoolSettings("cluster", MOST_CONNECTIONS, CONNECT, CONNECT, outbound));
        this.messages = new Road(new HttpRequestSender(pool.client(tls.isPresent())), LONGEST, PeerCodec.MOST_BYTES);
        this.callPool =
                new HttpConnectionPool(new HttpPoolSettings("cluster-calls", MOST_CALLS, CONNECT, LONGEST, outbound));
        this.calls = new Road(
                new HttpRequestSender(callPool.client(tls.isPresent())), LONGEST_CALL, PeerCodec.MOST_RESULT_BYTES);
        this.readPool = new HttpConnectionPool(
                new HttpPoolSettings("cluster-reads", MOST_READS, CONNECT, LONGEST_QUEUE, outbound));
        this.readSender =
                new HttpRequestSender(HttpConnectionPool.reading(readPool.client(tls.isPresent()), READ_BYTES));
    }

    /** Replaces the addresses of the other members. */
    void reload(Collection<PeerAddress> others) {
        addresses = others.stream().collect(Collectors.toUnmodifiableMap(PeerAddress::name, Function.identity()));
        contacts.keySet().retainAll(addresses.keySet());
    }

    /** Returns what is known of the requests for the lease of a member. */
    PeerContact contact(String member) {
        return contacts.getOrDefault(member, PeerContact.NONE);
    }

    /** Emits the response when what the member has revoked is revoked here too. */
    @Override
    public Mono<LeaseResponse> request(String member, LeaseRequest request) {
        return send(
                        member,
                        PeerPath.LEASE,
                        () -> PeerCodec.encode(new PeerCodec.StoresRequest(request, stores.fingerprints())))
                .flatMap(body -> read(member, body, PeerCodec::leaseResponse))
                .flatMap(message -> Mono.justOrEmpty(message.revocations())
                        .flatMap(digest -> revocations.follow(member, digest, page -> exchange(member, page)))
                        .thenReturn(message))
                .doOnNext(message -> heard(member, message))
                .map(PeerCodec.DigestResponse::response)
                .doOnError(failure -> notHeard(member, failure));
    }

    private Mono<RevocationPage> exchange(String member, RevocationPage page) {
        return send(member, PeerPath.REVOCATIONS, () -> PeerCodec.encode(page))
                .flatMap(body -> read(member, body, PeerCodec::revocations));
    }

    /** Sends decisions on revocations to all members; completes when all that respond have them. Never fails. */
    Mono<Void> announce(List<RevocationDecision> decisions) {
        RevocationPage page = new RevocationPage(decisions, Optional.empty());
        return Flux.defer(() -> Flux.fromIterable(addresses.keySet()))
                .flatMap(member -> exchange(member, page).then().onErrorResume(failure -> {
                    log.warn(
                            "A member of the cluster does not know of a revocation until it gets the next response of"
                                    + " another one: {}",
                            failure.getMessage());
                    return Mono.empty();
                }))
                .then();
    }

    private static <T> Mono<T> read(String member, byte[] body, FileValue.Reader<T> reader) {
        try {
            return Mono.just(reader.read(body));
        } catch (RefusedMessageException e) {
            return Mono.error(
                    new IOException("the response of %s cannot be read: %s".formatted(member, e.getMessage()), e));
        }
    }

    @Override
    public Mono<Void> announce(String member, AnnouncementBatch batch) {
        return send(member, PeerPath.ANNOUNCEMENTS, () -> PeerCodec.encode(batch))
                .then();
    }

    @Override
    public Mono<Void> leave(String member, Goodbye goodbye) {
        Mono<Void> sent = send(member, PeerPath.GOODBYE, () -> PeerCodec.encode(goodbye))
                .then()
                .cache();
        goodbyes.add(sent.onErrorComplete());
        return sent;
    }

    /** Completes when the members have the goodbyes, or cannot be reached. */
    Mono<Void> goodbyesSent() {
        return Mono.when(goodbyes);
    }

    /**
     * Lets a member do a call, and returns its answer. Fails with an {@link IOException} that says why there is none,
     * without an address: whoever has asked for the call may read it. At once if the member did not respond when it was
     * asked last.
     */
    Mono<byte[]> call(String member, byte[] message) {
        return Mono.defer(() -> problem(member)
                        .<Mono<byte[]>>map(problem -> Mono.error(new IOException(problem)))
                        .orElseGet(() -> send(calls, member, PeerPath.CALLS, () -> message)))
                .onErrorMap(AddressedFailure.class, this::withoutAddress);
    }

    /** Returns why a member did not respond to the last request for its lease, without its address. */
    private Optional<String> problem(String member) {
        PeerContact contact = contact(member);
        String silent = member + " did not respond when it was asked last: see `millrace cluster status`";
        return contact.problem().map(problem -> contact.refusal().isPresent() ? problem : silent);
    }

    private IOException withoutAddress(AddressedFailure failure) {
        if (logPause.begin()) {
            log.warn(
                    "A member of the cluster does not do what it is called for. Further ones are not logged for a"
                            + " minute: {}",
                    failure.getMessage());
        }
        return new IOException(failure.unaddressed, failure);
    }

    /** A failure whose message has an address, which only operators may see. */
    private static final class AddressedFailure extends IOException {
        private static final long serialVersionUID = 1L;

        private final String unaddressed;

        /** @param unaddressed the message without the address */
        AddressedFailure(String message, String unaddressed, @Nullable Throwable cause) {
            super(message, cause);
            this.unaddressed = unaddressed;
        }
    }

    /** The response to a read: what stands in its proven head, and the bytes, which must be read or discarded. */
    record ReadResponse(String object, ResponseBody body) {}

    /**
     * Sends a read to a member. Fails with a {@link BackendException} if it cannot be reached, and with an {@link
     * IOException} if it refuses.
     */
    Mono<ReadResponse> read(String member, byte[] message) {
        return Mono.defer(() -> signed(member, PeerPath.OBJECTS, message))
                .flatMap(signed -> readSender
                        .send(signed.head(), OutgoingRequestBody.of(ByteBuffer.wrap(message)), READ_TIMEOUTS)
                        .onErrorMap(failure -> TransportFailures.of(failure, false))
                        .flatMap(response -> readResponse(signed, response)));
    }

    private Mono<ReadResponse> readResponse(Signed signed, StreamingResponse response) {
        String object = response.headers().get(PeerPort.OBJECT, "");
        byte[] proven = object.getBytes(StandardCharsets.US_ASCII);
        String given = response.headers().get(PeerPort.PROOF, "");
        if (!object.isEmpty()
                && PeerKey.isSame(given, key.proofOfResponse(signed.proof(), response.status(), proven))) {
            return Mono.just(new ReadResponse(object, response.body()));
        }
        return BufferedResponse.of(response, PeerCodec.MOST_BYTES, "the response")
                .flatMap(refusal -> accepted(signed, refusal))
                .then(Mono.error(
                        () -> new IOException(signed.address().name() + " responds to a read with a message")));
    }

    /** Completes when a member has responded at all, also that it has too much to do, and fails if it does not. */
    Mono<Void> alive(String member) {
        return Mono.defer(() -> signed(member, PeerPath.ALIVE, NOTHING))
                .flatMap(signed -> messages.send(signed.head(), NOTHING)
                        .flatMap(response -> isProven(signed, response)
                                ? Mono.<Void>empty()
                                : accepted(signed, response).then()));
    }

    boolean isListed(String member) {
        return addresses.containsKey(member);
    }

    /** Closes all connections. */
    Mono<Void> close() {
        return pool.close().and(readPool.close()).and(callPool.close());
    }

    /**
     * The connections for one sort of messages, and the bounds of their responses.
     *
     * @param longest the most time until a response is complete
     */
    private record Road(HttpRequestSender sender, Duration longest, int mostBytes) {
        Mono<BufferedResponse> send(HttpRequestHead head, byte[] body) {
            HttpTimeouts timeouts = new HttpTimeouts(longest, longest, longest);
            Mono<BufferedResponse> response = sender.send(head, OutgoingRequestBody.of(ByteBuffer.wrap(body)), timeouts)
                    .flatMap(begun -> BufferedResponse.of(begun, mostBytes, "the response"));
            return HttpTimeouts.within(longest, response);
        }
    }

    /** A message that is ready to be sent. */
    private record Signed(PeerAddress address, HttpRequestHead head, String proof) {}

    private Mono<Signed> signed(String member, PeerPath path, byte[] body) {
        PeerAddress address = addresses.get(member);
        if (address == null) {
            return Mono.error(new IOException(member + " is not on the list of members"));
        }
        PeerCredential credential =
                new PeerCredential(cluster, member, wallClock.instant().getEpochSecond(), nonce(), Sha256.hex(body));
        String proof = key.proof(path.text(), credential);
        return Mono.just(new Signed(address, head(address, path, credential.header(proof), body.length), proof));
    }

    private Mono<byte[]> send(String member, PeerPath path, Supplier<byte[]> message) {
        return send(messages, member, path, message);
    }

    private Mono<byte[]> send(Road road, String member, PeerPath path, Supplier<byte[]> message) {
        return Mono.defer(() -> {
            byte[] body = message.get();
            return signed(member, path, body)
                    .flatMap(signed -> road.send(signed.head(), body)
                            .onErrorMap(failure -> unreachable(signed.address(), failure, road.longest()))
                            .flatMap(whole -> accepted(signed, whole)));
        });
    }

    private String nonce() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static HttpRequestHead head(PeerAddress address, PeerPath path, String authorization, int length) {
        return new HttpRequestHead(
                "POST",
                InetSocketAddress.createUnresolved(address.host(), address.port()),
                path.text(),
                HeaderList.EMPTY
                        .with("host", address.authority())
                        .with("authorization", authorization)
                        .with("content-type", "application/json")
                        .with("content-length", String.valueOf(length)));
    }

    private static Throwable unreachable(PeerAddress address, Throwable failure, Duration longest) {
        String late = "no response within " + longest.toSeconds() + " s";
        boolean isLate = failure instanceof TimeoutException;
        return new AddressedFailure(
                "%s at %s: %s".formatted(address.name(), address.authority(), isLate ? late : reason(failure)),
                address.name() + (isLate ? ": " + late : " cannot be reached: see `millrace cluster status`"),
                failure);
    }

    private static String reason(Throwable failure) {
        BackendException mapped =
                failure instanceof BackendException known ? known : TransportFailures.of(failure, false);
        return String.valueOf(mapped.getMessage());
    }

    private Mono<byte[]> accepted(Signed signed, BufferedResponse response) {
        PeerAddress address = signed.address();
        byte[] body = response.bytes();
        boolean isProven = isProven(signed, response);
        if (isProven && response.status() == 200) {
            return Mono.just(body);
        }
        if (isProven && response.status() == PeerPort.LATER) {
            return Mono.error(new IOException(address.name() + " stops, or has too much to do"));
        }
        String[] text = new String(body, StandardCharsets.UTF_8).split(" ", 2);
        return Mono.error(PeerRefusal.Reason.of(text[0])
                .filter(reason -> reason.isOfAMember() == isProven)
                .<IOException>map(
                        reason -> new PeerRefusal(address.name(), reason, isProven && text.length == 2 ? text[1] : ""))
                .orElseGet(() -> noMember(address, response.status())));
    }

    private static IOException noMember(PeerAddress address, int status) {
        String text = "%s: what listens at %s is no member of this cluster%s (status %d)";
        String earlier = status == NO_SUCH_PATH ? ", or of an earlier release" : "";
        return new AddressedFailure(
                text.formatted(address.name(), address.authority(), earlier, status),
                text.formatted(address.name(), "its address", earlier, status),
                null);
    }

    /** Returns whether a response is of the member, and to this request. */
    private boolean isProven(Signed signed, BufferedResponse response) {
        String expected = key.proofOfResponse(signed.proof(), response.status(), response.bytes());
        return response.header(PeerPort.PROOF)
                .filter(given -> PeerKey.isSame(given, expected))
                .isPresent();
    }

    private void heard(String member, PeerCodec.DigestResponse message) {
        boolean isListed = !(message.response() instanceof LeaseResponse.NotListed);
        PeerContact before = contacts.put(member, PeerContact.heard(clock.nanoTime(), isListed, message.stopping()));
        if (before != null && before.problem().isPresent()) {
            log.info("The member {} of the cluster responds again", member);
        }
    }

    private void notHeard(String member, Throwable failure) {
        Optional<PeerRefusal.Reason> refusal =
                failure instanceof PeerRefusal refused ? Optional.of(refused.reason()) : Optional.empty();
        String problem = String.valueOf(failure.getMessage());
        PeerContact before = contact(member);
        contacts.put(
                member,
                new PeerContact(before.heardAt(), before.listed(), before.stopping(), refusal, Optional.of(problem)));
        if (before.problem().isEmpty() || !before.refusal().equals(refusal)) {
            log.warn("No lease of a member of the cluster: {}", problem);
        }
    }
}
