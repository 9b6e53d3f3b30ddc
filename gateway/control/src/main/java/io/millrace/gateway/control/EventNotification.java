package io.millrace.gateway.control;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.write.EventSequencerValue;
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
 * A parsed event notification, in the format of S3 (also of MinIO, Ceph and others) or of EventBridge, bare or wrapped
 * by SNS. Unknown fields are ignored, because each sender adds its own. Other formats are refused, because their sender
 * would believe that the events were applied.
 *
 * @param events events about the content or metadata of an object
 * @param others number of other events
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html">Event
 * message
 *     structure</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html">EventBridge event message
 * structure</a>
 */
record EventNotification(List<Event> events, int others) {
    /** Read events, which MinIO sends. */
    private static final String ACCESS = "ObjectAccessed:";

    /** Bucket events, which have no object; MinIO sends them, S3 does not. */
    private static final String OF_BUCKETS = "Bucket";

    private static final String NO_OBJECT = "is to be an object with the key that the event is about: a notification ";

    private static final String BRIDGED = "aws.s3";

    /** The test event that S3 and versitygw send when notifications are set up. */
    private static final String TEST = "s3:TestEvent";

    private static final String FORMS =
            "is understood in S3's form ({\"Records\":[{\"s3\":...}]}, or its list alone), in EventBridge's (source"
                    + " aws.s3, and detail), and as the Message of an SNS Notification that has either";

    /**
     * All records are checked against rights and buckets before the first is applied; senders put few into one
     * notification.
     */
    private static final int MOST_RECORDS = 1000;

    /** The limit of S3. Version ids are kept in memory. */
    private static final int LONGEST_VERSION_ID = 1024;

    /** Longer than any known sequencer. An event without one has no order, which costs a revalidation at most. */
    private static final Pattern SEQUENCER = Pattern.compile("[0-9A-Fa-f]{1,64}");

    /** Events that store or delete content. Others, such as MinIO's {@code ObjectCreated:PutRetention}, do not. */
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
     * One event about an object.
     *
     * @param field its path in the request, for messages
     * @param bucket the bucket's name at the backend
     * @param keys the possible keys, at least one: the decoded key and, if it differs, the key as written, because not
     *     every sender encodes it
     */
    record Event(
            String field,
            String bucket,
            List<ObjectKey> keys,
            Optional<String> versionId,
            Optional<EventSequencerValue> order) {}

    /**
     * Parses a notification.
     *
     * @throws ApiException (400 or 413) if it has no known format or too many records
     */
    static EventNotification parse(JsonNode posted) {
        JsonNode body = SnsEnvelope.unwrap(posted);
        if (body.path("Event").asString("").equals(TEST)) {
            return new EventNotification(List.of(), 0);
        }
        if (body.path("source").asString("").equals(BRIDGED)) {
            return bridged(body);
        }
        // versitygw has sent the bare list.
        JsonNode records = body.isArray() ? body : body.path("Records");
        if (!records.isArray()) {
            throw ApiException.invalidField("Records", "is to be a list: a notification " + FORMS);
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
                throw ApiException.invalidField("Records[%d].s3".formatted(i), "is missing: a notification " + FORMS);
            }
            if (!isOfNoContent(name(record))) {
                events.add(event("Records[%d].s3".formatted(i), record));
            }
        }
        return new EventNotification(events, records.size() - events.size());
    }

    private static boolean isOfNoContent(String name) {
        return name.startsWith(ACCESS) || name.startsWith(OF_BUCKETS);
    }

    /** The event name without the prefix {@code s3:} that some senders add. */
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

    private static Optional<EventSequencerValue> order(String name, JsonNode time, JsonNode object) {
        return text(object.path("sequencer"))
                .filter(sequencer ->
                        ORDERED.contains(name) && SEQUENCER.matcher(sequencer).matches())
                .map(sequencer -> new EventSequencerValue(sequencer, name + ' ' + time.asString("")));
    }

    /** Parses an EventBridge event. Its key is not URL-encoded, and it always concerns an object. */
    private static EventNotification bridged(JsonNode body) {
        JsonNode detail = body.path("detail");
        if (!detail.isObject()) {
            throw ApiException.invalidField("detail", "is missing: a notification " + FORMS);
        }
        JsonNode object = object("detail.object", detail.path("object"));
        Event event = new Event(
                "detail",
                required("detail.bucket.name", detail.path("bucket").path("name")),
                keys("detail.object.key", List.of(required("detail.object.key", object.path("key")))),
                versionId("detail.object.version-id", object.path("version-id")),
                order(body.path("detail-type").asString(""), body.path("time"), object));
        return new EventNotification(List.of(event), 0);
    }

    private static JsonNode object(String field, JsonNode value) {
        if (!value.isObject()) {
            throw ApiException.invalidField(field, NO_OBJECT + FORMS);
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

    /** Returns the readings that are valid keys: an encoded one may exceed the length limit of keys. */
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
            throw ApiException.invalidField(field, problem);
        }
        return keys;
    }

    private static Optional<String> versionId(String field, JsonNode value) {
        Optional<String> versionId = text(value);
        if (versionId.filter(id -> id.length() > LONGEST_VERSION_ID).isPresent()) {
            throw ApiException.invalidField(field, "has more than %,d characters".formatted(LONGEST_VERSION_ID));
        }
        return versionId;
    }

    private static String required(String field, JsonNode value) {
        return text(value).orElseThrow(() -> ApiException.invalidField(field, "is missing, or is no text"));
    }

    private static Optional<String> text(JsonNode value) {
        return value.isString() && !value.asString().isEmpty() ? Optional.of(value.asString()) : Optional.empty();
    }
}
