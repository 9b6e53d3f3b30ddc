package io.millrace.gateway.cluster;

import io.millrace.auth.session.RevocationDecision;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.cluster.JsonForms.Change;
import io.millrace.gateway.cluster.JsonForms.Numbered;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the messages of members as JSON, so that a release beside the next or the last one works: what it
 * does not know of an announcement becomes the invalidation of the bucket.
 */
final class PeerCodec {
    /** The most bytes of a message. */
    static final int MOST_BYTES = 1 << 20;

    /** The most bytes of a call: a request of the control API has one MiB at most, and more is said beside it. */
    static final int MOST_CALL_BYTES = 2 << 20;

    /** The most bytes of the answer to a call: the residency of a thousand folders with the longest names. */
    static final int MOST_RESULT_BYTES = 8 << 20;

    /** The most characters of a message by {@link #characters}, of which JSON makes six bytes at most. */
    static final int MOST_CHARACTERS = 160 << 10;

    /** Beyond the longest key and version of S3; what is longer names no object. */
    private static final int LONGEST_TEXT = 1024;

    /** The JSON of an announcement beside its names, in characters of six bytes. */
    private static final int ANNOUNCEMENT = 24;

    /** The JSON of an object beside its names, likewise. */
    private static final int OBJECT = 5;

    /** No member counts as far. */
    private static final long LARGEST_NUMBER = Long.MAX_VALUE / 2;

    private static final String WRITTEN = "written";
    private static final String INVALIDATED = "invalidated";
    private static final String BUCKET_CHANGED = "bucket-changed";
    private static final String NOT_LISTED = "not-listed";
    private static final String NEW_SESSION = "new-session";
    private static final String RENEWAL = "renewal";

    private static final Set<String> TARGETS =
            Arrays.stream(RevocationTarget.values()).map(Enum::name).collect(Collectors.toUnmodifiableSet());

    /**
     * A request with the fingerprints of the requesting member's backends.
     *
     * @param stores by the name of the backend
     */
    record StoresRequest(LeaseRequest request, Map<String, String> stores) {}

    /**
     * A response with the digest of the responding member's revocations.
     *
     * @param revocations empty if the member is of a release that exchanges none
     * @param stopping whether the member stops, and is to be the home of objects no more
     */
    record DigestResponse(LeaseResponse response, Optional<Long> revocations, boolean stopping) {}

    private PeerCodec() {}

    /** Returns how many characters of a message an announcement takes at most. */
    static int characters(Announcement announcement) {
        int names = announcement.bucket().backend().length()
                + announcement.bucket().name().length();
        int content = 0;
        if (announcement instanceof Announcement.Written written) {
            content = written.ids().stream().mapToInt(PeerCodec::characters).sum();
        } else if (announcement instanceof Announcement.Invalidated invalidated) {
            content = Math.min(LONGEST_TEXT, invalidated.below().prefix().length());
        }
        return ANNOUNCEMENT + names + content;
    }

    /** Returns how many characters of a message an object takes at most. */
    static int characters(ObjectId id) {
        ToIntFunction<String> bounded = text -> Math.min(LONGEST_TEXT, text.length());
        return OBJECT
                + bounded.applyAsInt(id.object().key().value())
                + id.versionId().map(bounded::applyAsInt).orElse(0);
    }

    // Writing

    static byte[] encode(StoresRequest message) {
        LeaseRequest request = message.request();
        return JsonForms.write(new JsonForms.Request(
                JsonForms.VERSION,
                request.member(),
                request.process(),
                request.lease().toMillis(),
                request.session().map(PeerCodec::form).orElse(null),
                request.durable(),
                numbered(request.invalidated()),
                message.stores()));
    }

    static byte[] encode(DigestResponse message) {
        @Nullable Long revocations = message.revocations().orElse(null);
        LeaseResponse response = message.response();
        if (response instanceof LeaseResponse.Renewal renewal) {
            return JsonForms.write(new JsonForms.Response(
                    JsonForms.VERSION,
                    RENEWAL,
                    form(renewal.session()),
                    renewal.announced(),
                    numbered(renewal.missed()),
                    renewal.granted(),
                    revocations,
                    message.stopping()));
        }
        if (response instanceof LeaseResponse.NewSession begun) {
            return JsonForms.write(new JsonForms.Response(
                    JsonForms.VERSION,
                    NEW_SESSION,
                    form(begun.session()),
                    0,
                    numbered(begun.missed()),
                    false,
                    revocations,
                    message.stopping()));
        }
        return JsonForms.write(new JsonForms.Response(
                JsonForms.VERSION, NOT_LISTED, null, 0, null, false, revocations, message.stopping()));
    }

    static byte[] encode(AnnouncementBatch batch) {
        return JsonForms.write(new JsonForms.Batch(
                JsonForms.VERSION,
                batch.member(),
                form(batch.session()),
                batch.first(),
                batch.announcements().stream().map(PeerCodec::form).toList()));
    }

    static byte[] encode(Goodbye goodbye) {
        return JsonForms.write(
                new JsonForms.Leave(JsonForms.VERSION, goodbye.member(), form(goodbye.session()), goodbye.announced()));
    }

    static byte[] encode(RevocationPage page) {
        return JsonForms.write(new JsonForms.Revocations(
                JsonForms.VERSION,
                page.decisions().stream().map(PeerCodec::form).toList(),
                page.after().orElse(null)));
    }

    private static JsonForms.Decision form(RevocationDecision decision) {
        return new JsonForms.Decision(
                decision.target().name(),
                decision.name(),
                decision.before().map(Instant::toString).orElse(null),
                decision.at().toString());
    }

    private static JsonForms.Session form(SessionId session) {
        return new JsonForms.Session(session.process(), session.number());
    }

    static List<Numbered> numbered(Map<BackendBucket, Long> buckets) {
        return buckets.entrySet().stream()
                .map(entry ->
                        new Numbered(entry.getKey().backend(), entry.getKey().name(), entry.getValue()))
                .toList();
    }

    private static Change form(Announcement announcement) {
        BackendBucket bucket = announcement.bucket();
        if (announcement instanceof Announcement.Written written) {
            List<String> keys = new ArrayList<>();
            List<JsonForms.Version> versions = new ArrayList<>();
            for (ObjectId id : written.ids()) {
                String key = id.object().key().value();
                // A version that cannot be is not remembered, but a write of it may have changed the key.
                id.versionId()
                        .filter(version -> version.length() <= LONGEST_TEXT)
                        .ifPresentOrElse(
                                version -> versions.add(new JsonForms.Version(key, version)), () -> keys.add(key));
            }
            return new Change(
                    WRITTEN,
                    bucket.backend(),
                    bucket.name(),
                    keys,
                    versions.isEmpty() ? null : versions,
                    written.acknowledged(),
                    null);
        }
        if (announcement instanceof Announcement.Invalidated invalidated) {
            String prefix = invalidated.below().prefix();
            // A shorter prefix invalidates more.
            String sent = prefix.substring(0, Math.min(LONGEST_TEXT, prefix.length()));
            return new Change(INVALIDATED, bucket.backend(), bucket.name(), null, null, false, sent);
        }
        return new Change(BUCKET_CHANGED, bucket.backend(), bucket.name(), null, null, false, null);
    }

    // Reading

    static StoresRequest leaseRequest(byte[] bytes) throws RefusedMessageException {
        JsonForms.Request form = read(bytes, JsonForms.Request.class);
        requireVersion(form.version());
        Optional<SessionId> session = form.session() == null ? Optional.empty() : Optional.of(session(form.session()));
        return new StoresRequest(
                new LeaseRequest(
                        member(form.member()),
                        form.process(),
                        Duration.ofMillis(form.lease()),
                        session,
                        number("durable", form.durable()),
                        buckets("invalidated", form.invalidated())),
                form.stores() == null ? Map.of() : form.stores());
    }

    static DigestResponse leaseResponse(byte[] bytes) throws RefusedMessageException {
        JsonForms.Response form = read(bytes, JsonForms.Response.class);
        requireVersion(form.version());
        return new DigestResponse(response(form), Optional.ofNullable(form.revocations()), form.stopping());
    }

    private static LeaseResponse response(JsonForms.Response form) throws RefusedMessageException {
        return switch (required("kind", form.kind())) {
            case NOT_LISTED -> new LeaseResponse.NotListed();
            case NEW_SESSION -> new LeaseResponse.NewSession(session(form.session()), buckets("missed", form.missed()));
            case RENEWAL ->
                new LeaseResponse.Renewal(
                        session(form.session()),
                        number("announced", form.announced()),
                        buckets("missed", form.missed()),
                        form.granted());
            default -> throw RefusedMessageException.malformed("kind is none of a response");
        };
    }

    static AnnouncementBatch batch(byte[] bytes) throws RefusedMessageException {
        JsonForms.Batch form = read(bytes, JsonForms.Batch.class);
        requireVersion(form.version());
        long first = number("first", form.first());
        List<Change> changes = form.announcements();
        if (first == 0 || changes == null || changes.isEmpty()) {
            throw RefusedMessageException.malformed("first must be at least 1, and announcements not empty");
        }
        List<Announcement> announcements = new ArrayList<>();
        for (Change change : changes) {
            announcements.add(announcement(change));
        }
        return new AnnouncementBatch(member(form.member()), session(form.session()), first, announcements);
    }

    static Goodbye goodbye(byte[] bytes) throws RefusedMessageException {
        JsonForms.Leave form = read(bytes, JsonForms.Leave.class);
        requireVersion(form.version());
        return new Goodbye(member(form.member()), session(form.session()), number("announced", form.announced()));
    }

    static RevocationPage revocations(byte[] bytes) throws RefusedMessageException {
        JsonForms.Revocations form = read(bytes, JsonForms.Revocations.class);
        requireVersion(form.version());
        List<RevocationDecision> decisions = new ArrayList<>();
        for (JsonForms.Decision decision :
                form.decisions() == null ? List.<JsonForms.Decision>of() : form.decisions()) {
            String target = required("target", decision.target());
            // One of a later release: its credentials mean nothing here.
            if (TARGETS.contains(target)) {
                decisions.add(decision(RevocationTarget.valueOf(target), decision));
            }
        }
        return new RevocationPage(decisions, Optional.ofNullable(form.after()));
    }

    private static RevocationDecision decision(RevocationTarget target, JsonForms.Decision form)
            throws RefusedMessageException {
        try {
            return new RevocationDecision(
                    target,
                    required("name", form.name()),
                    Optional.ofNullable(form.before()).map(Instant::parse),
                    Instant.parse(required("at", form.at())));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw RefusedMessageException.malformed("a revocation is not one: " + e.getMessage());
        }
    }

    static <T> T read(byte[] bytes, Class<T> form) throws RefusedMessageException {
        return JsonForms.read(bytes, form)
                .orElseThrow(() -> RefusedMessageException.malformed("it is not the JSON that members write"));
    }

    static void requireVersion(int version) throws RefusedMessageException {
        if (version < 1) {
            throw RefusedMessageException.malformed("version is missing");
        }
        if (version > JsonForms.VERSION) {
            throw new RefusedMessageException(
                    PeerRefusal.Reason.OTHER_VERSION, "the form of the message is " + version);
        }
    }

    static <T> T required(String field, @Nullable T value) throws RefusedMessageException {
        if (value == null) {
            throw RefusedMessageException.malformed(field + " is missing");
        }
        return value;
    }

    private static String member(@Nullable String name) throws RefusedMessageException {
        String member = required("member", name);
        if (!ClusterPlace.isName(member)) {
            throw RefusedMessageException.malformed("member is not a name");
        }
        return member;
    }

    private static SessionId session(JsonForms.@Nullable Session form) throws RefusedMessageException {
        JsonForms.Session session = required("session", form);
        return new SessionId(session.process(), session.number());
    }

    private static long number(String field, long value) throws RefusedMessageException {
        if (value < 0 || value > LARGEST_NUMBER) {
            throw RefusedMessageException.malformed(field + " is out of range");
        }
        return value;
    }

    static Map<BackendBucket, Long> buckets(String field, @Nullable Collection<Numbered> forms)
            throws RefusedMessageException {
        Map<BackendBucket, Long> buckets = new HashMap<>();
        for (Numbered form : forms == null ? List.<Numbered>of() : forms) {
            buckets.put(bucket(form.backend(), form.bucket()), number(field, form.number()));
        }
        return buckets;
    }

    static BackendBucket bucket(@Nullable String backend, @Nullable String name) throws RefusedMessageException {
        return new BackendBucket(required("backend", backend), required("bucket", name));
    }

    private static Announcement announcement(Change form) throws RefusedMessageException {
        BackendBucket bucket = bucket(form.backend(), form.bucket());
        if (!BucketName.isValid(bucket.name())) {
            throw RefusedMessageException.malformed("bucket is not the name of one");
        }
        return switch (required("kind", form.kind())) {
            case WRITTEN -> new Announcement.Written(objects(bucket, form), form.acknowledged());
            case INVALIDATED -> below(bucket, required("prefix", form.prefix()));
            case BUCKET_CHANGED -> new Announcement.BucketChanged(bucket);
            // Of a later release.
            default -> below(bucket, "");
        };
    }

    private static Announcement below(BackendBucket bucket, String prefix) {
        return new Announcement.Invalidated(new ObjectPrefix(bucket.backend(), new BucketName(bucket.name()), prefix));
    }

    private static List<ObjectId> objects(BackendBucket bucket, Change form) throws RefusedMessageException {
        List<ObjectId> objects = new ArrayList<>();
        for (String key : form.keys() == null ? List.<String>of() : form.keys()) {
            objects.add(ObjectId.current(bucket.backend(), object(bucket, key)));
        }
        for (JsonForms.Version version : form.versions() == null ? List.<JsonForms.Version>of() : form.versions()) {
            objects.add(new ObjectId(
                    bucket.backend(),
                    object(bucket, required("key", version.key())),
                    Optional.of(required("version", version.version()))));
        }
        if (objects.isEmpty()) {
            throw RefusedMessageException.malformed("a write has neither keys nor versions");
        }
        return objects;
    }

    private static ObjectRef object(BackendBucket bucket, String key) throws RefusedMessageException {
        try {
            return new ObjectRef(new BucketName(bucket.name()), new ObjectKey(key));
        } catch (IllegalArgumentException e) {
            throw RefusedMessageException.malformed("a key is not one: " + e.getMessage());
        }
    }
}
