package io.millrace.gateway.cluster;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.TierResponse;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.cluster.RelayedRead.Wanted;
import io.millrace.kit.share.Party;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The codec of relayed reads, which are JSON, and of what the home says of the object, which is JSON in Base64, since
 * it stands in a header.
 */
final class RelayCodec {
    /** The most characters of that header; S3 allows 2 KiB of user metadata. */
    static final int MOST_CHARACTERS = 32 << 10;

    private static final String HEAD = "head";
    private static final String CURRENT = "current";
    private static final String VERSION = "version";

    /** Before the kind of a read of what is there; a member of an earlier release knows no such kind, and refuses. */
    private static final String HELD = "held-";

    private RelayCodec() {}

    static byte[] encode(RelayedRead read) {
        ObjectId id = read.id();
        Wanted wanted = read.wanted();
        @Nullable String range = null;
        if (wanted instanceof RelayedRead.Current current
                && current.selection() instanceof ByteSelection.RangeSelection selected) {
            range = selected.spec().toHeader();
        } else if (wanted instanceof RelayedRead.Version version) {
            range = text(version.range());
        }
        return JsonForms.write(new JsonForms.Read(
                JsonForms.VERSION,
                read.held() ? HELD + kind(wanted) : kind(wanted),
                read.bucket().value(),
                id.backend(),
                id.object().bucket().value(),
                id.object().key().value(),
                id.versionId().orElse(null),
                range,
                wanted instanceof RelayedRead.Version version ? form(version.version()) : null,
                read.tier().revalidate(),
                read.tier().hops().toHeader(),
                read.tier().party().kind().name(),
                read.tier().party().name()));
    }

    private static String kind(Wanted wanted) {
        if (wanted instanceof RelayedRead.Head) {
            return HEAD;
        }
        return wanted instanceof RelayedRead.Current ? CURRENT : VERSION;
    }

    static RelayedRead read(byte[] bytes) throws RefusedMessageException {
        JsonForms.Read form = PeerCodec.read(bytes, JsonForms.Read.class);
        PeerCodec.requireVersion(form.version());
        try {
            ObjectRef object = new ObjectRef(
                    new BucketName(PeerCodec.required("place", form.place())),
                    new ObjectKey(PeerCodec.required("key", form.key())));
            ObjectId id = new ObjectId(
                    PeerCodec.required("backend", form.backend()), object, Optional.ofNullable(form.versionId()));
            TierRequest tier = new TierRequest(
                    GatewayHops.parse(Optional.ofNullable(form.hops())), form.revalidate(), party(form));
            String kind = PeerCodec.required("kind", form.kind());
            boolean held = kind.startsWith(HELD);
            return new RelayedRead(
                    new BucketName(PeerCodec.required("bucket", form.bucket())),
                    id,
                    wanted(held ? kind.substring(HELD.length()) : kind, form),
                    tier,
                    held);
        } catch (IllegalArgumentException e) {
            throw RefusedMessageException.malformed("a read names no object: " + e.getMessage());
        }
    }

    /** It takes turns here as it does at the gateway that its request came to. */
    private static Party party(JsonForms.Read form) {
        return Arrays.stream(Party.Kind.values())
                .filter(kind -> kind.name().equals(form.partyKind()))
                .findFirst()
                .map(kind -> new Party(kind, form.partyName() == null ? "" : form.partyName(), false))
                .orElse(Party.GATEWAY);
    }

    private static Wanted wanted(String kind, JsonForms.Read form) throws RefusedMessageException {
        switch (kind) {
            case HEAD -> {
                return new RelayedRead.Head();
            }
            case CURRENT -> {
                ByteSelection selection = form.range() == null
                        ? new ByteSelection.WholeObject()
                        : new ByteSelection.RangeSelection(RangeSpec.parse(form.range())
                                .orElseThrow(() -> RefusedMessageException.malformed("range is none")));
                return new RelayedRead.Current(selection);
            }
            case VERSION -> {
                ObjectVersion version = version(PeerCodec.required("content", form.content()));
                ByteRange range = range(PeerCodec.required("range", form.range()));
                if (!version.hasStrongValidator() || range.last() >= version.size()) {
                    throw RefusedMessageException.malformed("content has no such bytes");
                }
                return new RelayedRead.Version(version, range);
            }
            default -> throw RefusedMessageException.malformed("kind is none of a read");
        }
    }

    /** Returns the header; empty if it would be too long. */
    static Optional<String> encode(RelayedObject object) {
        ObjectHead head = object.head();
        TierResponse report = head.tier().orElseThrow();
        return header(new JsonForms.Stored(
                JsonForms.VERSION,
                null,
                null,
                form(head.version()),
                head.eTag().map(ETag::toString).orElse(null),
                head.lastModified().map(Instant::toEpochMilli).orElse(null),
                forms(head.headers()),
                object.range().map(RelayCodec::text).orElse(null),
                report.age().toMillis(),
                report.cacheStatus()));
    }

    /** Returns the header of a home that cannot serve the object; empty if it would be too long. */
    static Optional<String> encode(BackendException failure) {
        @Nullable Long size = failure.objectSize().isPresent()
                ? Long.valueOf(failure.objectSize().getAsLong())
                : null;
        return header(new JsonForms.Stored(
                JsonForms.VERSION,
                failure.kind().name(),
                size,
                null,
                null,
                null,
                forms(failure.headers()),
                null,
                0,
                null));
    }

    private static List<JsonForms.Field> forms(HeaderList headers) {
        return headers.fields().stream()
                .map(field -> new JsonForms.Field(field.name(), field.value()))
                .toList();
    }

    private static Optional<String> header(JsonForms.Stored form) {
        String text = Base64.getEncoder().encodeToString(JsonForms.write(form));
        return text.length() <= MOST_CHARACTERS ? Optional.of(text) : Optional.empty();
    }

    /**
     * Reads the header.
     *
     * @throws BackendException if the home cannot serve the object
     */
    static RelayedObject object(String header) throws RefusedMessageException {
        try {
            JsonForms.Stored form = PeerCodec.read(Base64.getDecoder().decode(header), JsonForms.Stored.class);
            PeerCodec.requireVersion(form.version());
            if (form.failure() != null) {
                throw failure(form.failure(), form.size(), fields(form.fields()));
            }
            ObjectHead head = new ObjectHead(
                    version(PeerCodec.required("content", form.content())),
                    Optional.ofNullable(form.tag()).map(ETag::parse),
                    Optional.ofNullable(form.modified()).map(Instant::ofEpochMilli),
                    fields(form.fields()));
            TierResponse report =
                    new TierResponse(form.status() == null ? "" : form.status(), Duration.ofMillis(form.age()));
            Optional<ByteRange> range = form.range() == null ? Optional.empty() : Optional.of(range(form.range()));
            return new RelayedObject(head.through(report), range);
        } catch (IllegalArgumentException e) {
            throw RefusedMessageException.malformed("what is said of an object is not true of any: " + e.getMessage());
        }
    }

    private static BackendException failure(String kind, @Nullable Long size, HeaderList headers) {
        FailureKind known = Arrays.stream(FailureKind.values())
                .filter(value -> value.name().equals(kind))
                .findFirst()
                .orElse(FailureKind.UNEXPECTED);
        BackendException failure = new BackendException(known, "the object's home says " + kind).withHeaders(headers);
        return size == null ? failure : failure.withObjectSize(size);
    }

    private static HeaderList fields(@Nullable List<JsonForms.Field> forms) throws RefusedMessageException {
        List<HeaderField> fields = new ArrayList<>();
        for (JsonForms.Field form : forms == null ? List.<JsonForms.Field>of() : forms) {
            fields.add(new HeaderField(
                    PeerCodec.required("name", form.name()), PeerCodec.required("value", form.value())));
        }
        return new HeaderList(fields);
    }

    private static JsonForms.Content form(ObjectVersion version) {
        return new JsonForms.Content(
                version.strength().name(),
                version.validator(),
                version.size(),
                version.versionId().orElse(null));
    }

    private static ObjectVersion version(JsonForms.Content form) throws RefusedMessageException {
        return new ObjectVersion(
                ValidatorStrength.valueOf(PeerCodec.required("strength", form.strength())),
                PeerCodec.required("validator", form.validator()),
                form.size(),
                Optional.ofNullable(form.versionId()));
    }

    private static String text(ByteRange range) {
        return new RangeSpec.Bounded(range.first(), range.last()).toHeader();
    }

    private static ByteRange range(String text) throws RefusedMessageException {
        return RangeSpec.parse(text)
                .filter(RangeSpec.Bounded.class::isInstance)
                .map(RangeSpec.Bounded.class::cast)
                .map(bounded -> new ByteRange(bounded.first(), bounded.last()))
                .orElseThrow(() -> RefusedMessageException.malformed("range has no two ends"));
    }
}
