package io.millrace.gateway.control;

import io.millrace.backend.spi.ObjectKey;
import io.millrace.gateway.freshness.EventOrder;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import tools.jackson.databind.JsonNode;

/**
 * Events in the form in which S3 posts them, which MinIO, Ceph and others have too, or in that of EventBridge, and either as SNS
 * hands it on. What else stands beside what is read here is left alone: each sender adds its own. What is in no such form is refused:
 * its sender would take it for heeded.
 *
 * @param events that are about the content or the fields of an object
 * @param others that are not
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html">Event message
 *     structure</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html">EventBridge event message structure</a>
 */
record Notification(List<Event> events, int others) {
    /** That somebody has read an object is said by MinIO. */
    private static final String ACCESS = "ObjectAccessed:";

    /** What buckets have happen to them has no object; MinIO says so, S3 does not. */
    private static final String OF_BUCKETS = "Bucket";

    private static final String NO_OBJECT = "is to be an object with the key that the event is about: a notification ";

    private static final String BRIDGED = "aws.s3";

    /** What S3 sends to try whether somebody listens, as does versitygw. */
    private static final String TEST = "s3:TestEvent";

    private static final String FORMS =
            "is understood in S3's form ({\"Records\":[{\"s3\":...}]}, or its list alone), in EventBridge's (source aws.s3, and detail),"
                    + " and as the Message of an SNS Notification that has either";

    /** They are held against rights and buckets before the first is heeded; senders put few into one. */
    private static final int MOST_RECORDS = 1000;

    /** As S3 bounds them; they are remembered. */
    private static final int LONGEST_VERSION_ID = 1024;

    /** What is none has no order: that costs a question at most. Longer than any that is known. */
    private static final Pattern SEQUENCER = Pattern.compile("[0-9A-Fa-f]{1,64}");

    /** What stores or deletes content. Names such as MinIO's {@code ObjectCreated:PutRetention} are of something else. */
    private static final Set<String> ORDERED = Set.of(
            "ObjectCreated:Put",
            "ObjectCreated:Post",
            "ObjectCreated:Copy",
            "ObjectCreated:CompleteMultipartUpload",
            "ObjectRemoved:Delete",
            "ObjectRemoved:DeleteMarkerCreated",
            "Object Created",
            "Object Deleted");

    /**
     * One event.
     *
     * @param field where it stands in the request
     * @param bucket as the backend names it
     * @param keys what the key may be: decoded, and, where that differs, as it is written, since not every sender encodes it. At least one
     */
    record Event(
            String field,
            String bucket,
            List<ObjectKey> keys,
            Optional<String> versionId,
            Optional<EventOrder> order) {}

    /**
     * Reads one.
     *
     * @throws ApiException if it is none
     */
    static Notification of(JsonNode posted) {
        JsonNode body = SnsEnvelope.open(posted);
        if (body.path("Event").asString("").equals(TEST)) {
            return new Notification(List.of(), 0);
        }
        if (body.path("source").asString("").equals(BRIDGED)) {
            return bridged(body);
        }
        // versitygw has sent the bare list.
        JsonNode records = body.isArray() ? body : body.path("Records");
        if (!records.isArray()) {
            throw ApiException.field("Records", "is to be a list: a notification " + FORMS);
        }
        if (records.size() > MOST_RECORDS) {
            throw ApiException.of(
                    HttpStatus.CONTENT_TOO_LARGE,
                    "A notification has %,d records at most, this one has %,d: send fewer at a time."
                            .formatted(MOST_RECORDS, records.size()));
        }
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            JsonNode record = records.get(i);
            if (!record.path("s3").isObject()) {
                throw ApiException.field("Records[%d].s3".formatted(i), "is missing: a notification " + FORMS);
            }
            if (!isOfNoContent(name(record))) {
                events.add(event("Records[%d].s3".formatted(i), record));
            }
        }
        return new Notification(events, records.size() - events.size());
    }

    private static boolean isOfNoContent(String name) {
        return name.startsWith(ACCESS) || name.startsWith(OF_BUCKETS);
    }

    /** With or without its service, as senders have it. */
    private static String name(JsonNode record) {
        String name = record.path("eventName").asString("");
        return name.startsWith("s3:") ? name.substring(3) : name;
    }

    private static Event event(String field, JsonNode record) {
        JsonNode s3 = record.path("s3");
        JsonNode object = object(field + ".object", s3.path("object"));
        String key = required(field + ".object.key", object.path("key"));
        String decoded = decoded(key);
        return new Event(
                field,
                required(field + ".bucket.name", s3.path("bucket").path("name")),
                keys(field + ".object.key", decoded.equals(key) ? List.of(key) : List.of(decoded, key)),
                versionId(field + ".object.versionId", object.path("versionId")),
                order(name(record), record.path("eventTime"), object));
    }

    private static Optional<EventOrder> order(String name, JsonNode time, JsonNode object) {
        return text(object.path("sequencer"))
                .filter(sequencer ->
                        ORDERED.contains(name) && SEQUENCER.matcher(sequencer).matches())
                .map(sequencer -> new EventOrder(sequencer, name + ' ' + time.asString("")));
    }

    /** There keys are not encoded, and each event is of an object. */
    private static Notification bridged(JsonNode body) {
        JsonNode detail = body.path("detail");
        if (!detail.isObject()) {
            throw ApiException.field("detail", "is missing: a notification " + FORMS);
        }
        JsonNode object = object("detail.object", detail.path("object"));
        Event event = new Event(
                "detail",
                required("detail.bucket.name", detail.path("bucket").path("name")),
                keys("detail.object.key", List.of(required("detail.object.key", object.path("key")))),
                versionId("detail.object.version-id", object.path("version-id")),
                order(body.path("detail-type").asString(""), body.path("time"), object));
        return new Notification(List.of(event), 0);
    }

    private static JsonNode object(String field, JsonNode value) {
        if (!value.isObject()) {
            throw ApiException.field(field, NO_OBJECT + FORMS);
        }
        return value;
    }

    private static String decoded(String written) {
        try {
            return URLDecoder.decode(written, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return written;
        }
    }

    /** Those of the readings that are keys: an encoded one may be longer than a key can be. */
    private static List<ObjectKey> keys(String field, List<String> readings) {
        List<ObjectKey> keys = new ArrayList<>();
        String problem = "is no key";
        for (String reading : readings) {
            try {
                keys.add(new ObjectKey(reading));
            } catch (IllegalArgumentException none) {
                problem = String.valueOf(none.getMessage());
            }
        }
        if (keys.isEmpty()) {
            throw ApiException.field(field, problem);
        }
        return keys;
    }

    private static Optional<String> versionId(String field, JsonNode value) {
        Optional<String> versionId = text(value);
        if (versionId.filter(id -> id.length() > LONGEST_VERSION_ID).isPresent()) {
            throw ApiException.field(field, "has more than %,d characters".formatted(LONGEST_VERSION_ID));
        }
        return versionId;
    }

    private static String required(String field, JsonNode value) {
        return text(value).orElseThrow(() -> ApiException.field(field, "is missing, or is no text"));
    }

    private static Optional<String> text(JsonNode value) {
        return value.isString() && !value.asString().isEmpty() ? Optional.of(value.asString()) : Optional.empty();
    }
}
