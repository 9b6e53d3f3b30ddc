package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.session.RevocationDecision;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages are read as they were written, also those of another release; what is none of them is refused. */
class PeerCodecTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final BackendBucket PLACE = new BackendBucket("aws", "bucket");
    private static final Duration LEASE = Duration.ofMillis(3500);
    private static final SessionId SESSION = new SessionId(Long.MIN_VALUE, 7);
    private static final Instant AT = Instant.parse("2026-11-20T12:00:00Z");

    @Test
    void leaseRequestIsReadAsItWasWritten() throws Exception {
        PeerCodec.StoresRequest request = new PeerCodec.StoresRequest(
                new LeaseRequest(
                        "gw-0", -5, LEASE, Optional.of(SESSION), 12, Map.of(PLACE, 3L, BackendBucket.EVERY, 4L)),
                Map.of("aws", "abc"));
        PeerCodec.StoresRequest first = new PeerCodec.StoresRequest(
                new LeaseRequest("gw-0", 0, Duration.ZERO, Optional.empty(), 0, Map.of()), Map.of());

        assertThat(PeerCodec.leaseRequest(PeerCodec.encode(request))).isEqualTo(request);
        assertThat(PeerCodec.leaseRequest(PeerCodec.encode(first))).isEqualTo(first);
    }

    @Test
    void leaseResponsesAreReadAsTheyWereWritten() throws Exception {
        for (LeaseResponse response : List.of(
                new LeaseResponse.NotListed(),
                new LeaseResponse.NewSession(SESSION, Map.of(PLACE, 1L)),
                new LeaseResponse.Renewal(SESSION, 9, Map.of(), true),
                new LeaseResponse.Renewal(SESSION, 0, Map.of(PLACE, 1L), false))) {
            for (Optional<Long> digest : List.of(Optional.of(Long.MIN_VALUE), Optional.<Long>empty())) {
                PeerCodec.DigestResponse message = new PeerCodec.DigestResponse(response, digest, digest.isPresent());
                assertThat(PeerCodec.leaseResponse(PeerCodec.encode(message))).isEqualTo(message);
            }
        }
    }

    @Test
    void goodbyeIsReadAsItWasWritten() throws Exception {
        Goodbye goodbye = new Goodbye("gw-0.millrace", SESSION, 12);

        assertThat(PeerCodec.goodbye(PeerCodec.encode(goodbye))).isEqualTo(goodbye);
    }

    @Test
    void everyKeyPrefixAndVersionIsReadAsItWasWritten() throws Exception {
        List<ObjectId> ids = new ArrayList<>();
        for (ObjectKey key : DifficultKeys.keys()) {
            ids.add(ObjectId.current("aws", new ObjectRef(BUCKET, key)));
        }
        ids.add(version("v/\u0000\ud83d\ude00 \ud83d"));
        AnnouncementBatch batch = new AnnouncementBatch(
                "gw-0",
                SESSION,
                3,
                List.of(
                        new Announcement.Written(ids, false),
                        new Announcement.Written(ids.subList(0, 1), true),
                        // Not valid Unicode, which the API lets through.
                        new Announcement.Invalidated(new ObjectPrefix("aws", BUCKET, "\udc00/\u0001é")),
                        new Announcement.BucketChanged(PLACE)));

        assertThat(PeerCodec.batch(PeerCodec.encode(batch))).isEqualTo(batch);
    }

    @Test
    void whatNamesNoObjectIsSentAsWhatCoversIt() throws Exception {
        AnnouncementBatch batch = new AnnouncementBatch(
                "gw-0",
                SESSION,
                1,
                List.of(
                        new Announcement.Written(List.of(version("v".repeat(5000))), true),
                        new Announcement.Invalidated(new ObjectPrefix("aws", BUCKET, "p".repeat(2_000_000)))));

        byte[] message = PeerCodec.encode(batch);

        assertThat(message).hasSizeLessThan(4000);
        assertThat(PeerCodec.batch(message).announcements())
                .containsExactly(
                        new Announcement.Written(
                                List.of(ObjectId.current("aws", new ObjectRef(BUCKET, new ObjectKey("k")))), true),
                        new Announcement.Invalidated(new ObjectPrefix("aws", BUCKET, "p".repeat(1024))));
    }

    @Test
    void fieldsOfALaterReleaseAreIgnored() throws Exception {
        Goodbye goodbye = PeerCodec.goodbye(bytes("""
                {"version":1,"later":{"deep":[1]},"member":"gw-0","session":{"process":1,"number":2,"x":0},
                "announced":3}
                """));

        assertThat(goodbye).isEqualTo(new Goodbye("gw-0", new SessionId(1, 2), 3));
    }

    @Test
    void announcementOfALaterReleaseInvalidatesTheBucket() throws Exception {
        AnnouncementBatch batch = PeerCodec.batch(bytes("""
                {"version":1,"member":"gw-0","session":{"process":1,"number":2},"first":1,"announcements":[
                {"kind":"event","backend":"aws","bucket":"bucket","sequencer":"00"}]}
                """));

        assertThat(batch.announcements())
                .containsExactly(new Announcement.Invalidated(new ObjectPrefix("aws", BUCKET, "")));
    }

    @Test
    void formOfALaterReleaseIsRefused() {
        assertThatThrownBy(() -> PeerCodec.goodbye(bytes("{\"version\":2}")))
                .isInstanceOfSatisfying(
                        RefusedMessageException.class,
                        refusal -> assertThat(refusal.reason()).isEqualTo(PeerRefusal.Reason.OTHER_VERSION));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                                                                         | not the JSON",
                "null                                                                       | not the JSON",
                "[]                                                                         | not the JSON",
                "{                                                                          | not the JSON",
                "{} {}                                                                      | not the JSON",
                "{\"version\":1,\"first\":99999999999999999999999}                          | not the JSON",
                "{\"version\":1,\"first\":\"x\"}                                            | not the JSON",
                "{\"version\":1,\"announcements\":[null]}                                   | not the JSON",
                "{\"version\":1,\"later\":[[[[[[[[[[]]]]]]]]]]}                             | not the JSON",
                "{}                                                                         | version is missing",
                "{\"version\":1,\"first\":0,\"announcements\":[{}]}                         | first must be",
                "{\"version\":1,\"first\":-1,\"announcements\":[{}]}                        | first is out of range",
                "{\"version\":1,\"first\":9223372036854775807,\"announcements\":[{}]}       | first is out of range",
                "{\"version\":1,\"first\":1}                                                | announcements not empty",
                "{\"version\":1,\"first\":1,\"announcements\":[]}                           | announcements not empty",
                "{\"version\":1,\"first\":1,\"announcements\":[{}]}                         | backend is missing",
                "{\"version\":1,\"first\":1,\"announcements\":[{\"backend\":\"a\",\"bucket\":\"*\"}]} | bucket is not",
                "{\"version\":1,\"first\":1,\"announcements\":[{\"backend\":\"a\",\"bucket\":\"bbb\"}]} | kind is"
            })
    void malformedBatchIsRefusedWithAWord(String message, String word) {
        assertThatThrownBy(() -> PeerCodec.batch(bytes(message)))
                .isInstanceOfSatisfying(
                        RefusedMessageException.class,
                        refusal -> assertThat(refusal.reason()).isEqualTo(PeerRefusal.Reason.MALFORMED))
                .hasMessageContaining(word);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"kind\":\"written\"                                             | neither keys nor versions",
                "\"kind\":\"written\",\"keys\":[]                                 | neither keys nor versions",
                "\"kind\":\"written\",\"keys\":[\"\"]                             | a key is not one",
                "\"kind\":\"written\",\"keys\":[\"a\",\"\\ud800\"]                | a key is not one",
                "\"kind\":\"written\",\"keys\":[null]                             | not the JSON",
                "\"kind\":\"written\",\"versions\":[{\"version\":\"v\"}]          | key is missing",
                "\"kind\":\"written\",\"versions\":[{\"key\":\"k\"}]              | version is missing",
                "\"kind\":\"invalidated\"                                         | prefix is missing"
            })
    void malformedAnnouncementIsRefusedWithTheWholeBatch(String fields, String word) {
        String batch = """
                {"version":1,"member":"gw-0","session":{"process":1,"number":2},"first":1,"announcements":[
                {"kind":"bucket-changed","backend":"aws","bucket":"bucket"},{"backend":"aws","bucket":"bucket",%s}]}
                """.formatted(fields);

        assertThatThrownBy(() -> PeerCodec.batch(bytes(batch)))
                .isInstanceOf(RefusedMessageException.class)
                .hasMessageContaining(word);
    }

    @Test
    void batchOfTheLongestAnnouncementsFitsIntoAMessage() {
        // The control character is the longest in JSON.
        List<Announcement> announcements = IntStream.range(0, 5000)
                .mapToObj(i -> (Announcement) new Announcement.Written(
                        List.of(new ObjectId(
                                "aws",
                                new ObjectRef(BUCKET, new ObjectKey("\u0001".repeat(1 + i % 1024))),
                                Optional.of("\u0001".repeat(i % 1024)))),
                        true))
                .toList();
        PeerOutbox box = new PeerOutbox("gw-1", 0);
        announcements.forEach(announcement -> box.add(new PendingWrite(announcement, true, 0)));
        List<Announcement> sent = new ArrayList<>();

        while (!box.isAcknowledged()) {
            AnnouncementBatch batch = box.batch("gw-0", SESSION);
            assertThat(PeerCodec.encode(batch).length).isBetween(1, PeerCodec.MOST_BYTES);
            assertThat(batch.first()).isEqualTo(sent.size() + 1);
            sent.addAll(batch.announcements());
            box.acknowledge(batch.last());
        }

        assertThat(sent).isEqualTo(announcements);
    }

    @Test
    void batchOfSmallAnnouncementsIsBoundedByItsMessageToo() {
        PeerOutbox box = new PeerOutbox("gw-1", 0);
        for (int i = 0; i < 2000; i++) {
            String backend = "b".repeat(100) + i;
            box.add(new PendingWrite(
                    new Announcement.BucketChanged(new BackendBucket(backend, "c".repeat(255))), true, 0));
        }

        assertThat(PeerCodec.encode(box.batch("gw-0", SESSION)).length).isBetween(1, PeerCodec.MOST_BYTES);
    }

    @Test
    void mostMissedBucketsFitIntoAMessage() {
        Map<BackendBucket, Long> missed = new HashMap<>();
        for (int i = 0; i < MissedBuckets.MOST; i++) {
            missed.put(new BackendBucket("b".repeat(255), "%0255d".formatted(i)), Long.MAX_VALUE / 2);
        }

        byte[] response = PeerCodec.encode(new PeerCodec.DigestResponse(
                new LeaseResponse.NewSession(SESSION, missed), Optional.of(Long.MIN_VALUE), true));
        byte[] request = PeerCodec.encode(new PeerCodec.StoresRequest(
                new LeaseRequest("gw-0", 1, LEASE, Optional.of(SESSION), 1, missed), Map.of()));

        assertThat(response.length).isLessThan(PeerCodec.MOST_BYTES);
        assertThat(request.length).isLessThan(PeerCodec.MOST_BYTES);
    }

    @Test
    void revocationsAreReadAsTheyWereWritten() throws Exception {
        RevocationPage page = new RevocationPage(
                List.of(
                        new RevocationDecision(RevocationTarget.ALL, "", Optional.of(Instant.EPOCH), AT),
                        new RevocationDecision(
                                RevocationTarget.SESSION, "assumed-role/\"\\/x", Optional.of(AT), AT.plusNanos(1)),
                        new RevocationDecision(RevocationTarget.IDENTITY, "alice", Optional.empty(), AT)),
                Optional.of("ROLE\ttrainer"));

        assertThat(PeerCodec.revocations(PeerCodec.encode(page))).isEqualTo(page);
        assertThat(PeerCodec.revocations(PeerCodec.encode(RevocationPage.EMPTY)))
                .isEqualTo(RevocationPage.EMPTY);
    }

    @Test
    void revocationOfAnUnknownKindIsLeftOut() throws Exception {
        RevocationPage page = PeerCodec.revocations(bytes("""
                {"version":1,"decisions":[{"target":"LATER","name":"x","at":"2026-11-20T12:00:00Z"},
                {"target":"ROLE","name":"x","at":"2026-11-20T12:00:00Z"}]}
                """));

        assertThat(page.decisions())
                .containsExactly(new RevocationDecision(RevocationTarget.ROLE, "x", Optional.empty(), AT));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                                       | target is missing",
                "{\"target\":\"ROLE\",\"at\":\"2026-11-20T12:00:00Z\"}                    | name is missing",
                "{\"target\":\"ROLE\",\"name\":\"x\"}                                     | at is missing",
                "{\"target\":\"ROLE\",\"name\":\"x\",\"at\":\"now\"}                      | is not one",
                "{\"target\":\"ROLE\",\"name\":\"x\",\"at\":\"+10000-01-01T00:00:00Z\"}   | is not one",
                "{\"target\":\"ROLE\",\"name\":\"x y\",\"at\":\"2026-11-20T12:00:00Z\"}   | is not one",
                "{\"target\":\"ALL\",\"name\":\"x\",\"at\":\"2026-11-20T12:00:00Z\"}      | is not one"
            })
    void malformedRevocationIsRefusedWithAWord(String decision, String word) {
        assertThatThrownBy(() -> PeerCodec.revocations(bytes("{\"version\":1,\"decisions\":[%s]}".formatted(decision))))
                .isInstanceOfSatisfying(
                        RefusedMessageException.class,
                        refusal -> assertThat(refusal.reason()).isEqualTo(PeerRefusal.Reason.MALFORMED))
                .hasMessageContaining(word);
    }

    @Test
    void mostRevocationsFitIntoAMessage() {
        Instant longest = Instant.parse("9999-12-31T23:59:58.999999999Z");
        List<RevocationDecision> decisions = IntStream.range(0, RevocationPage.MOST)
                .mapToObj(i -> new RevocationDecision(
                        RevocationTarget.SESSIONS_OF, "\"".repeat(250) + i, Optional.of(longest), longest))
                .toList();

        assertThat(PeerCodec.encode(new RevocationPage(
                        decisions, Optional.of(decisions.get(0).key()))))
                .hasSizeLessThan(PeerCodec.MOST_BYTES);
    }

    private static ObjectId version(String version) {
        return new ObjectId("aws", new ObjectRef(BUCKET, new ObjectKey("k")), Optional.of(version));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
