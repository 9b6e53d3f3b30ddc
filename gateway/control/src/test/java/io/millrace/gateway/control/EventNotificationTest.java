package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.Promise;
import io.millrace.gateway.objects.write.EventSequencerValue;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** Tests the parsing of event notifications: known formats, invalid ones, and limits. */
class EventNotificationTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void acceptsKeyThatIsTooLongOnlyWhenEncoded() {
        String key = "\u00e4".repeat(500);

        List<EventNotification.Event> events = events(record("%C3%A4".repeat(500), "1", "v"));

        assertThat(events).hasSize(1);
        assertThat(events.get(0).keys()).containsExactly(new ObjectKey(key));
    }

    @Test
    void refusesKeyThatIsInvalidInBothDecodings() {
        assertThatThrownBy(() -> events(record("%C3%A4".repeat(513), "1", "v")))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().field()).isEqualTo("Records[0].s3.object.key"));
    }

    @Test
    void keyIsTakenInBothReadingsTheDecodedFirst() {
        assertThat(events(record("a%2Bb", "1", "v")).get(0).keys())
                .containsExactly(new ObjectKey("a+b"), new ObjectKey("a%2Bb"));
        assertThat(events(record("a%b", "1", "v")).get(0).keys()).containsExactly(new ObjectKey("a%b"));
    }

    @Test
    void versionIdOfAnyLengthIsAProblem() {
        assertThat(events(record("a", "1", "v".repeat(1024))).get(0).versionId())
                .isPresent();
        assertThatThrownBy(() -> events(record("a", "1", "v".repeat(1025))))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().field()).isEqualTo("Records[0].s3.object.versionId"));
    }

    @Promise("I4")
    @Test
    void understandsMinioAndEventBridgeEvents() {
        String minio = "{\"EventName\":\"s3:ObjectCreated:Put\",\"Key\":\"data/a+b\",\"Records\":[%s]}"
                .formatted(record("a+b", "1", "v").replace("ObjectCreated:Put", "s3:ObjectCreated:Put"));
        String bridge = """
                {"version":"0","detail-type":"Object Created","source":"aws.s3","detail":{"version":"0",
                "bucket":{"name":"data"},"object":{"key":"a+b","size":5,"etag":"b1","version-id":"v","sequencer":"1"}}}
                """;
        for (String body : List.of(minio, bridge)) {
            assertThat(EventNotification.parse(JSON.readTree(body)).events())
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.bucket()).isEqualTo("data");
                        assertThat(event.versionId()).contains("v");
                        assertThat(event.order()).isPresent();
                        assertThat(event.keys()).contains(new ObjectKey("a+b"));
                    });
        }
        assertThat(EventNotification.parse(JSON.readTree(bridge))
                        .events()
                        .get(0)
                        .keys())
                .as("is not encoded")
                .hasSize(1);
    }

    /** MinIO gives the delete of an object the number of its write, and the same one to each change of its tags. */
    @Promise("I4")
    @Test
    void eventsThatStoreOrDeleteContentHaveAnOrderEachKindItsOwn() {
        assertThat(order("s3:ObjectCreated:Put")).isPresent().isEqualTo(order("ObjectCreated:Put"));
        assertThat(order("ObjectRemoved:Delete")).isPresent().isNotEqualTo(order("ObjectCreated:Put"));
        assertThat(order("ObjectCreated:PutTagging")).isEmpty();
    }

    private static Optional<EventSequencerValue> order(String name) {
        return events(record("a", "17A0", "v").replace("ObjectCreated:Put", name))
                .get(0)
                .order();
    }

    @ParameterizedTest
    @CsvSource({"17A0, true", "17a0, true", "17G0, false", "-1, false"})
    void sequencerThatIsNoneHasNoOrder(String sequencer, boolean ordered) {
        assertThat(events(record("a", sequencer, "v")).get(0).order().isPresent())
                .isEqualTo(ordered);
    }

    @Test
    void sequencerOfAnyLengthHasNoOrder() {
        assertThat(events(record("a", "1".repeat(64), "v")).get(0).order()).isPresent();
        assertThat(events(record("a", "1".repeat(65), "v")).get(0).order()).isEmpty();
    }

    @Test
    void moreThanAThousandRecordsAreTooLarge() {
        String one = record("a", "1", "v");

        assertThat(events(String.join(",", Collections.nCopies(1000, one)))).hasSize(1000);
        assertThatThrownBy(() -> events(String.join(",", Collections.nCopies(1001, one))))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().status()).isEqualTo(413));
    }

    @Test
    void limitsHoldInsideAnEnvelope() {
        String records = "{\"Records\":["
                + String.join(
                        ",", Collections.nCopies(1001, record("a", "1", "v").replace("\n", "")))
                + "]}";
        String message = JSON.writeValueAsString(records);

        assertThatThrownBy(() -> EventNotification.parse(
                        JSON.readTree("{\"Type\":\"Notification\",\"Message\":%s}".formatted(message))))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().status()).isEqualTo(413));
        String deep = "[".repeat(100) + "]".repeat(100);
        assertThatThrownBy(() -> EventNotification.parse(
                        JSON.readTree("{\"Type\":\"Notification\",\"Message\":\"%s\"}".formatted(deep))))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().field()).isEqualTo("Message"));
    }

    private static List<EventNotification.Event> events(String records) {
        return EventNotification.parse(JSON.readTree("{\"Records\":[" + records + "]}"))
                .events();
    }

    private static String record(String key, String sequencer, String versionId) {
        return """
                {"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"data"},
                "object":{"key":"%s","sequencer":"%s","versionId":"%s"}}}""".formatted(key, sequencer, versionId);
    }
}
