package io.millrace.gateway.write;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.BackendErrors;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.OpaqueId;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlDocument;
import io.millrace.gateway.http.XmlElement;
import io.millrace.gateway.http.XmlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * Deletes up to 1,000 keys, each by itself and each only if the caller may.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html">DeleteObjects</a>
 */
public final class DeleteObjects implements S3Handler {
    private static final int MAX_KEYS = 1000;

    private static final Pattern SENDABLE = Pattern.compile("[0-9A-Za-z,:+. -]{1,64}");

    /** Elements that name a condition, and the fields that say the same of a single delete. */
    private static final Map<String, String> OTHER_CONDITIONS =
            Map.of("LastModifiedTime", "x-amz-if-match-last-modified-time", "Size", "x-amz-if-match-size");

    private final Buckets buckets;
    private final ObjectWrites writes;

    public DeleteObjects(Buckets buckets, ObjectWrites writes) {
        this.buckets = buckets;
        this.writes = writes;
    }

    /** A key as the document names it. */
    private record Named(String key, Optional<String> versionId, Optional<String> tag, HeaderList others) {
        static Named of(XmlElement object) {
            return new Named(
                    object.textOf("Key").filter(key -> !key.isEmpty()).orElseThrow(DeleteObjects::malformed),
                    object.textOf("VersionId").filter(id -> !id.isEmpty()),
                    object.textOf("ETag").map(String::strip).filter(tag -> !tag.isEmpty()),
                    others(object));
        }

        /** A time or a number; nothing that could be more than the value of a field. */
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

    /** How one key ended: without an error it is done. */
    private record Outcome(Named named, HeaderList told, Optional<S3Exception> error) {}

    @Override
    public S3Operation operation() {
        return S3Operation.DELETE_OBJECTS;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        return admission.withDocument(
                XmlParser.MAX_BYTES, document -> delete(admission, bucket, XmlParser.parse(document, "Delete")));
    }

    private Mono<S3Answer> delete(Admission admission, BucketView bucket, XmlElement document) {
        boolean quiet =
                document.textOf("Quiet").filter("true"::equalsIgnoreCase).isPresent();
        List<Named> named = document.all("Object").stream().map(Named::of).toList();
        if (named.isEmpty() || named.size() > MAX_KEYS) {
            throw malformed();
        }
        Outcome[] outcomes = new Outcome[named.size()];
        List<Deletion> allowed = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < outcomes.length; i++) {
            try {
                allowed.add(deletion(admission, bucket, named.get(i)));
                places.add(i);
            } catch (S3Exception refused) {
                outcomes[i] = new Outcome(named.get(i), HeaderList.EMPTY, Optional.of(refused));
            }
        }
        return send(admission, bucket, allowed).map(done -> {
            for (int i = 0; i < done.size(); i++) {
                int place = places.get(i);
                outcomes[place] = outcome(named.get(place), done.get(i));
            }
            return S3Answer.xml(
                    200, HeaderList.EMPTY, document(List.of(outcomes), quiet).bytes());
        });
    }

    private Mono<List<DeleteOutcome>> send(Admission admission, BucketView bucket, List<Deletion> deletions) {
        if (deletions.isEmpty()) {
            return Mono.just(List.of());
        }
        return writes.fenced(
                bucket,
                deletions,
                bucket.backend().deleteAll(bucket.real(), deletions, BackendFields.amzOfDocument(admission, bucket)));
    }

    private static Deletion deletion(Admission admission, BucketView bucket, Named named) {
        ObjectKey key;
        try {
            key = new ObjectKey(named.key());
        } catch (IllegalArgumentException tooLong) {
            throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
        }
        if (!admission.mayDelete(key)) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        if (!named.versionId().map(OpaqueId::isPlain).orElse(true)) {
            throw new S3Exception(S3ErrorCode.NO_SUCH_VERSION);
        }
        ObjectRef object = bucket.at(key);
        WriteCondition condition = named.tag()
                .<WriteCondition>map(tag -> tag.equals("*")
                        ? new WriteCondition.Exists()
                        : new WriteCondition.Matches(WriteConditions.tag("ETag", tag)))
                .orElse(WriteCondition.ALWAYS);
        return new Deletion(object, bucket.versionId(named.versionId()), condition, named.others());
    }

    private static Outcome outcome(Named named, DeleteOutcome done) {
        Optional<S3Exception> error = done.failure().map(BackendErrors::toS3);
        return new Outcome(named, done.deleted().headers(), error);
    }

    private static XmlDocument document(List<Outcome> outcomes, boolean quiet) {
        XmlDocument xml = XmlDocument.of("DeleteResult");
        for (Outcome outcome : outcomes) {
            if (outcome.error().isPresent()) {
                S3Exception error = outcome.error().get();
                xml.open("Error").element("Key", outcome.named().key());
                xml.element("VersionId", outcome.named().versionId())
                        .element("Code", error.code())
                        .element("Message", error.text())
                        .close();
            } else if (!quiet) {
                deleted(xml, outcome);
            }
        }
        return xml;
    }

    private static void deleted(XmlDocument xml, Outcome outcome) {
        xml.open("Deleted").element("Key", outcome.named().key());
        xml.element("VersionId", outcome.named().versionId());
        boolean marker = outcome.told()
                .first("x-amz-delete-marker")
                .filter("true"::equals)
                .isPresent();
        if (marker) {
            xml.element("DeleteMarker", "true");
            xml.element("DeleteMarkerVersionId", outcome.told().first("x-amz-version-id"));
        }
        xml.close();
    }

    private static S3Exception malformed() {
        return new S3Exception(S3ErrorCode.MALFORMED_XML);
    }
}
