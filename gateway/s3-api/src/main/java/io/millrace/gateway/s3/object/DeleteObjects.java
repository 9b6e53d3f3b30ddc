package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.OpaqueIdValidator;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import io.millrace.kit.XmlText;
import io.millrace.kit.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * Deletes up to 1,000 keys in one request. Each key is authorized on its own and has its own result.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html">DeleteObjects</a>
 */
record DeleteObjects(BucketRegistry buckets, FencedWrites writes) implements S3Handler {
    private static final int MAX_KEYS = 1000;

    private static final Pattern SENDABLE = Pattern.compile("[0-9A-Za-z,:+. -]{1,64}");

    /** Elements with a condition, and the headers of a single delete with the same meaning. */
    private static final Map<String, String> OTHER_CONDITIONS =
            Map.of("LastModifiedTime", "x-amz-if-match-last-modified-time", "Size", "x-amz-if-match-size");

    /** A key in the document, with its version and conditions. */
    private record Named(String key, Optional<String> versionId, Optional<String> tag, HeaderList others) {
        static Named of(XmlElement object) {
            return new Named(
                    object.textOf("Key").filter(key -> !key.isEmpty()).orElseThrow(DeleteObjects::malformed),
                    object.textOf("VersionId").filter(id -> !id.isEmpty()),
                    object.textOf("ETag").map(String::strip).filter(tag -> !tag.isEmpty()),
                    others(object));
        }

        /** Returns a time or a number; rejects text that could be more than the value of a header. */
        private static String sendable(String text) {
            if (!SENDABLE.matcher(text).matches()) {
                throw malformed();
            }
            return text;
        }

        private static HeaderList others(XmlElement object) {
            HeaderList others = HeaderList.EMPTY;
            for (Map.Entry<String, String> condition : OTHER_CONDITIONS.entrySet()) {
                Optional<String> value = object.textOf(condition.getKey());
                if (value.isPresent()) {
                    others = others.with(condition.getValue(), sendable(value.get()));
                }
            }
            return others;
        }
    }

    /** The result for one key; without an error it is deleted. */
    private record Outcome(Named named, HeaderList headers, Optional<S3Exception> error) {}

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        return authorized.withDocument(
                XmlParser.MAX_BYTES, document -> delete(authorized, bucket, XmlParser.parse(document, "Delete")));
    }

    private Mono<S3Response> delete(AuthorizedRequest authorized, BucketView bucket, XmlElement document) {
        boolean quiet =
                document.textOf("Quiet").filter("true"::equalsIgnoreCase).isPresent();
        List<Named> named = document.all("Object").map(Named::of).toList();
        if (named.isEmpty() || named.size() > MAX_KEYS) {
            throw malformed();
        }
        Outcome[] outcomes = new Outcome[named.size()];
        List<Deletion> allowed = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < outcomes.length; i++) {
            try {
                allowed.add(deletion(authorized, bucket, named.get(i)));
                places.add(i);
            } catch (S3Exception refused) {
                outcomes[i] = new Outcome(named.get(i), HeaderList.EMPTY, Optional.of(refused));
            }
        }
        return send(authorized, bucket, allowed).map(done -> {
            for (int i = 0; i < done.size(); i++) {
                int place = places.get(i);
                outcomes[place] = outcome(named.get(place), done.get(i));
            }
            return S3Response.xml(
                    200, HeaderList.EMPTY, document(List.of(outcomes), quiet).bytes());
        });
    }

    private Mono<List<DeleteOutcome>> send(AuthorizedRequest authorized, BucketView bucket, List<Deletion> deletions) {
        if (deletions.isEmpty()) {
            return Mono.just(List.of());
        }
        return writes.fenced(
                bucket,
                deletions,
                bucket.backend()
                        .deleteAll(
                                bucket.backendBucket(), deletions, ForwardedHeaders.amzOfDocument(authorized, bucket)));
    }

    private static Deletion deletion(AuthorizedRequest authorized, BucketView bucket, Named named) {
        ObjectKey key;
        try {
            key = new ObjectKey(named.key());
        } catch (IllegalArgumentException tooLong) {
            throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
        }
        if (!authorized.canDelete(key, named.versionId())) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        if (!named.versionId().map(OpaqueIdValidator::isPlain).orElse(true)) {
            throw new S3Exception(S3ErrorCode.NO_SUCH_VERSION);
        }
        ObjectRef object = bucket.at(key);
        WriteCondition condition = named.tag()
                .<WriteCondition>map(tag -> tag.equals("*")
                        ? new WriteCondition.IfExists()
                        : new WriteCondition.IfMatches(WriteConditionParser.tag("ETag", tag)))
                .orElse(WriteCondition.ALWAYS);
        return new Deletion(object, bucket.versionId(named.versionId()), condition, named.others());
    }

    private static Outcome outcome(Named named, DeleteOutcome done) {
        Optional<S3Exception> error = done.failure().map(BackendErrorMapper::toS3);
        return new Outcome(named, done.result().headers(), error);
    }

    private static XmlWriter document(List<Outcome> outcomes, boolean quiet) {
        XmlWriter xml = XmlWriter.of("DeleteResult");
        for (Outcome outcome : outcomes) {
            if (outcome.error().isPresent()) {
                S3Exception error = outcome.error().get();
                xml.open("Error").element("Key", outcome.named().key());
                xml.element("VersionId", outcome.named().versionId())
                        .element("Code", error.code())
                        .element("Message", XmlText.representable(error.text()))
                        .close();
            } else if (!quiet) {
                deleted(xml, outcome);
            }
        }
        return xml;
    }

    private static void deleted(XmlWriter xml, Outcome outcome) {
        xml.open("Deleted").element("Key", outcome.named().key());
        xml.element("VersionId", outcome.named().versionId());
        boolean marker = outcome.headers()
                .first("x-amz-delete-marker")
                .filter("true"::equals)
                .isPresent();
        if (marker) {
            xml.element("DeleteMarker", "true");
            xml.element("DeleteMarkerVersionId", outcome.headers().first("x-amz-version-id"));
        }
        xml.close();
    }

    private static S3Exception malformed() {
        return new S3Exception(S3ErrorCode.MALFORMED_XML);
    }
}
