package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3Exception;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A batch asks for what it says and nothing else: what is not understood is refused. */
class BatchRequestTest {
    private static final BucketName BUCKET = new BucketName("data");

    private static BatchRequest parse(String json) {
        return BatchRequest.parse(json.getBytes(StandardCharsets.UTF_8), BUCKET);
    }

    private static String many(int items) {
        return "{\"in\":[" + "{\"objname\":\"a\"},".repeat(items - 1) + "{\"objname\":\"a\"}]}";
    }

    @Test
    void itemsAreThoseOfTheDocument() {
        BatchRequest batch = parse("""
                { "in": [
                    { "objname": "a" },
                    { "objname": "train/1.tar", "archpath": "x/7.jpg", "provider": "ais", "opaque": "AAEC" },
                    { "objname": "b", "bucket": "meta", "start": 10, "length": 5 },
                    { "objname": "c", "start": 10, "archpath": "", "bucket": "" },
                    { "objname": "d", "length": 1 },
                    { "sample": "x/7", "objname": "train/1.tar", "archpath": "" } ],
                  "mime": ".tar", "coer": true, "onob": true, "strm": true, "coloc": 1, "want": "bytes" }""");

        assertThat(batch.goesOn()).isTrue();
        assertThat(batch.hidesBuckets()).isTrue();
        assertThat(batch.wantsHeads()).isFalse();
        assertThat(batch.items())
                .containsExactly(
                        item(BUCKET, "a", "", ""),
                        item(BUCKET, "train/1.tar", "train/1.tar/x/7.jpg", ""),
                        item(new BucketName("meta"), "b", "", "bytes=10-14"),
                        item(BUCKET, "c", "", "bytes=10-"),
                        item(BUCKET, "d", "", "bytes=0-0"),
                        new BatchItem(
                                BUCKET,
                                new ObjectKey("train/1.tar"),
                                Optional.of(new ObjectKey("train/1.tar/x/7")),
                                true,
                                Optional.empty()));
        assertThat(batch.items().get(5).sample()).isEqualTo("x/7");
    }

    @Test
    void headsMayBeWantedBeforeOrAfterTheItems() {
        assertThat(parse("{\"in\":[{\"objname\":\"a\"}],\"want\":\"head\"}").wantsHeads())
                .isTrue();
        assertThat(parse("{\"want\":\"head\",\"in\":[{\"objname\":\"a\"}]}").wantsHeads())
                .isTrue();

        S3Exception refused = catchThrowableOfType(
                S3Exception.class,
                () -> parse("{\"in\":[{\"objname\":\"a\"},{\"objname\":\"b\",\"start\":1}],\"want\":\"head\"}"));
        assertThat(refused.code()).isEqualTo("InvalidArgument");
        assertThat(refused.text()).contains("item 1: it has a range");
        assertThat(refused.details()).containsEntry("Item", "1");
    }

    private static BatchItem item(BucketName bucket, String key, String member, String range) {
        return new BatchItem(
                bucket,
                new ObjectKey(key),
                Optional.of(member).filter(text -> !text.isEmpty()).map(ObjectKey::new),
                false,
                Optional.of(range).filter(text -> !text.isEmpty()));
    }

    @Test
    void omittedFlagsAreFalse() {
        BatchRequest batch = parse("{\"in\":[{\"objname\":\"a\"}]}");

        assertThat(batch.goesOn()).isFalse();
        assertThat(batch.hidesBuckets()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "''                                               | InvalidArgument",
                "{                                                | InvalidRequest",
                "'{\"in\":[{\"objname\":\"a\"}'                   | InvalidRequest",
                "'{\"in\":[{\"objname\":\"a\"}]}}'                | InvalidRequest",
                "'{\"in\":[{\"objname\":\"a\",\"objname\":\"b\"}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\"}],\"in\":[]}'          | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"length\":0}]}'     | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"start\":7,\"length\":0}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\"}]} {}'              | InvalidArgument",
                "[]                                               | InvalidArgument",
                "{}                                               | InvalidArgument",
                "'{\"in\":[]}'                                    | InvalidArgument",
                "'{\"in\":{}}'                                    | InvalidArgument",
                "'{\"in\":[\"a\"]}'                               | InvalidArgument",
                "'{\"in\":[{}]}'                                  | InvalidArgument",
                "'{\"in\":[{\"objname\":\"\"}]}'                  | InvalidArgument",
                "'{\"in\":[{\"objname\":7}]}'                     | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\"}],\"coloc\":[[[[[[[[[]]]]]]]]]}' | InvalidRequest",
                "'{\"in\":[{\"objname\":\"a\",\"start\":99999999999999999999}]}' | InvalidRequest",
                "'{\"in\":[{\"objname\":\"a\",\"bucket\":\"../b\"}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"start\":-1}]}'    | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"start\":1.5}]}'   | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"length\":9007199254740993}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"size\":1}]}'      | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"archpath\":\"b\"}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"x.tar/a.tar\",\"archpath\":\"b\"}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\"}],\"coer\":\"yes\"}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\"}],\"other\":1}'     | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"sample\":\"7\"}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a.tar\",\"sample\":7}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a.tar\",\"sample\":\"7\",\"archpath\":\"7.jpg\"}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a.tar\",\"sample\":\"7\",\"length\":1}]}' | InvalidArgument",
                "'{\"in\":[{\"objname\":\"a\",\"uname\":\"b\"}]}' | NotImplemented",
                "'{\"in\":[{\"objname\":\"a\"}],\"mime\":\".zip\"}' | NotImplemented",
                "'{\"in\":[{\"objname\":\"a\"}],\"strm\":false}'  | NotImplemented",
                "'{\"in\":[{\"objname\":\"a\"}],\"want\":\"tags\"}' | NotImplemented",
                "'{\"in\":[{\"objname\":\"a\"}],\"want\":true}'  | InvalidArgument"
            })
    void wrongDocumentsAreRefused(String json, String code) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, () -> parse(json));

        assertThat(refused).isNotNull();
        assertThat(refused.code()).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "'{\"objname\":\"b\",\"start\":7,\"length\":0}' | InvalidArgument | 'item 1: \"length\" is 0'",
                "'{\"objname\":\"b\",\"objname\":\"c\"}'      | InvalidArgument | 'item 1: \"objname\" is given twice'",
                "'{\"objname\":7}'                            | InvalidArgument | 'item 1: \"objname\" is no text'",
                "'{\"objname\":\"b\",\"size\":1}'          | InvalidArgument | 'item 1: the field \"size\" is unknown'",
                "'{\"objname\":\"b\",\"archpath\":\"c\"}'     | InvalidArgument | 'item 1: it has an archpath'",
                "'\"b\"'                                      | InvalidArgument | 'item 1: it is no JSON object'",
                "'{\"objname\":\"b\",\"sample\":\"7\"}'       | InvalidArgument | 'item 1: it has an archpath or a'",
                "'{\"objname\":\"b\",\"uname\":\"7\"}'        | NotImplemented  | uname",
                "'{\"objname\" \"b\"}'                        | InvalidRequest  | 'at line 2, column '"
            })
    void faultyItemIsNamed(String item, String code, String message) {
        String json = "{\"in\":[{\"objname\":\"a\"},\n%s]}".formatted(item);

        S3Exception refused = catchThrowableOfType(S3Exception.class, () -> parse(json));

        assertThat(refused.code()).isEqualTo(code);
        assertThat(refused.text()).contains(message);
        assertThat(refused.details()).containsEntry("Item", "1");
    }

    @Test
    void faultOfTheWholeIsNamed() {
        assertThat(catchThrowableOfType(S3Exception.class, () -> parse("")).text())
                .contains("it is empty");
        assertThat(catchThrowableOfType(S3Exception.class, () -> parse("{\"in\":[{\"objname\":\"a\"}],\"coer\":1}"))
                        .text())
                .contains("\"coer\" is neither");
        S3Exception cutOff = catchThrowableOfType(S3Exception.class, () -> parse("{\n\"in\":"));
        assertThat(cutOff.text()).contains("at line 2, column ");
        assertThat(cutOff.details()).isEmpty();
    }

    @Test
    void itemsAreLimited() {
        assertThat(parse(many(BatchRequest.MAX_ITEMS)).items()).hasSize(BatchRequest.MAX_ITEMS);

        S3Exception refused = catchThrowableOfType(S3Exception.class, () -> parse(many(BatchRequest.MAX_ITEMS + 1)));

        assertThat(refused.code()).isEqualTo("InvalidArgument");
    }

    @Test
    void namesAreUnicode() {
        String json = "{\"in\":[{\"objname\":\"a\\uD800\"}]}";

        S3Exception refused = catchThrowableOfType(S3Exception.class, () -> parse(json));

        assertThat(refused.code()).startsWith("Invalid");
    }

    @Test
    void namesAreLimited() {
        String longest = "a".repeat(ObjectKey.MAX_BYTES);
        assertThat(parse("{\"in\":[{\"objname\":\"%s\"}]}".formatted(longest)).items())
                .hasSize(1);

        for (String json : new String[] {
            "{\"in\":[{\"objname\":\"%sa\"}]}".formatted(longest),
            "{\"in\":[{\"objname\":\"a.tar\",\"archpath\":\"%s\"}]}".formatted(longest)
        }) {
            S3Exception refused = catchThrowableOfType(S3Exception.class, () -> parse(json));
            assertThat(refused.code()).isEqualTo("KeyTooLongError");
            assertThat(refused.details()).containsEntry("Item", "0");
        }
    }
}
