package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests every kind of condition, met and not, and every kind of malformed policy, all with valid signatures. */
class PostPolicyTest {
    private static final int INPUTS = 20_000;

    static Stream<Arguments> conditions() {
        return Stream.of(
                row("[\"eq\", \"$content-type\", \"text/plain\"]", "content-type", "text/plain", true),
                row("[\"eq\", \"$content-type\", \"text/plain\"]", "content-type", "image/jpeg", false),
                row("[\"eq\", \"$content-type\", \"text/plain\"]", "content-type", "Text/Plain", false),
                row("[\"EQ\", \"$CoNtEnT-TyPe\", \"text/plain\"]", "content-type", "text/plain", true),
                row("{\"Content-Type\": \"image/png\"}", "content-type", "image/png", true),
                row("{\"content-type\": \"application/xml\"}", "content-type", "text/html", false),
                row("[\"starts-with\", \"$x-amz-meta-env\", \"prod\"]", "x-amz-meta-env", "production", true),
                row("[\"StArTs-WiTh\", \"$x-amz-meta-env\", \"\"]", "x-amz-meta-env", "anything", true),
                row("[\"starts-with\", \"$x-amz-meta-env\", \"\"]", "x-amz-meta-env", "", true),
                row("[\"starts-with\", \"$x-amz-meta-env\", \"allowed/\"]", "x-amz-meta-env", "forbidden/", false),
                row("[\"starts-with\", \"$content-type\", \"text/\"]", "content-type", "text/a, text/b", true),
                row("[\"starts-with\", \"$content-type\", \"text/\"]", "content-type", "text/a,image/b", false),
                row("[\"starts-with\", \"$content-type\", \"text/\"]", "content-type", "text/a,", false),
                row("[\"starts-with\", \"$x-amz-meta-a\", \"b\"]", "x-amz-meta-a", "b,c", true),
                row("[\"eq\", \"$success_action_status\", 201]", "success_action_status", "201", true),
                row("[\"eq\", \"$x-amz-meta-a\", \"\\$5\"]", "x-amz-meta-a", "$5", true),
                row("[\"eq\", \"$x-amz-meta-a\", \"\\u00e4\"]", "x-amz-meta-a", "ä", true),
                row("[\"starts-with\", \"$x-amz-meta-a\", \"b\"]", "x-ignore-a", "", false),
                row("[\"eq\", \"$bucket\", \"sigv4examplebucket\"]", "x-ignore-anything", "b", true),
                row("[\"eq\", \"$bucket\", \"other\"]", "x-ignore-anything", "b", false),
                row("[\"starts-with\", \"$bucket\", \"sig\"]", "bucket", "sigv4examplebucket", true),
                row("[\"eq\", \"$key\", \"a/b\"]", "file", "x", true),
                row("[\"eq\", \"$key\", \"a/c\"]", "file", "x", false));
    }

    @ParameterizedTest
    @MethodSource("conditions")
    void conditionIsEvaluated(String condition, String name, String value, boolean met) {
        Form form = Form.signed(condition).with(name, value);

        if (met) {
            assertThatCode(form::verify).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(form::verify)
                    .hasMessageStartingWith("Invalid according to Policy: Policy Condition failed: [")
                    .isInstanceOfSatisfying(
                            RequestVerificationException.class,
                            e -> assertThat(e.code()).isEqualTo(Code.ACCESS_DENIED));
        }
    }

    /** A server of files stores {@code up/../x} outside of {@code up/}. */
    @ParameterizedTest
    @CsvSource({
        "starts-with, up/, up/a, true",
        "starts-with, up/, up/../escaped, false",
        "starts-with, up/, up/..//up2/x, false",
        "starts-with, up/, up/b/../../escaped, false",
        "starts-with, up/, up/.., false",
        "starts-with, up/, up/../up/a, true",
        "starts-with, up/, up/./a, true",
        "starts-with, up/, up//a, true",
        "starts-with, up/, up/..a, true",
        "starts-with, up//, up//a, true",
        "starts-with, /up/, /up/a, true",
        "starts-with, /up/, /up/../a, false",
        "starts-with, users/../, users/../a, false",
        "starts-with, '', ../a, true",
        "starts-with, up/., up/./../upper, false",
        "eq, up//a, up//a, true",
        "eq, up/./a, up/./a, true",
        "eq, up/./a, up/a, false",
        "eq, up/a, up/./a, false",
        "eq, up/../a, up/../a, false"
    })
    void keyMeetsItsConditionsAsAFileServerReadsItToo(String test, String operand, String key, boolean met) {
        Form form = Form.withPolicy(Form.policy("2015-12-30T12:00:00Z", """
                {"bucket": "%s"}, ["starts-with", "$x-amz-credential", ""], ["starts-with", "$x-amz-algorithm", ""],
                ["starts-with", "$x-amz-date", ""], ["%s", "$Key", "%s"]\
                """.formatted(Form.BUCKET, test, operand)))
                .with("key", key);

        if (met) {
            assertThatCode(form::verify).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(form::verify)
                    .hasMessage("Invalid according to Policy: Policy Condition failed: [\"%s\", \"$Key\", \"%s\"]"
                            .formatted(test, operand));
        }
    }

    @Test
    void refusalShowsTheConditionAsItWasWritten() {
        assertThatThrownBy(() -> Form.signed("[\"eq\",\"$Content-Type\",\"text/plain\"]")
                        .with("content-type", "image/png")
                        .verify())
                .hasMessage("Invalid according to Policy: Policy Condition failed: "
                        + "[\"eq\",\"$Content-Type\",\"text/plain\"]");
        assertThatThrownBy(() -> Form.signed("{\"Content-Type\": \"text/plain\"}")
                        .with("content-type", "image/png")
                        .verify())
                .hasMessage("Invalid according to Policy: Policy Condition failed: "
                        + "[\"eq\", \"$content-type\", \"text/plain\"]");
    }

    @Test
    void fieldWithoutConditionIsRefusedByName() {
        assertThatThrownBy(
                        () -> Form.signed().with("content-type", "text/plain").verify())
                .hasMessage("Invalid according to Policy: Extra input fields: content-type");
    }

    @Test
    void bucketMustBeNamed() {
        Form form = Form.withPolicy(Form.policy(
                "2015-12-30T12:00:00Z",
                "{\"key\": \"a/b\"}, [\"starts-with\", \"$x-amz-credential\", \"\"],"
                        + " [\"starts-with\", \"$x-amz-algorithm\", \"\"], [\"starts-with\", \"$x-amz-date\", \"\"]"));

        assertThatThrownBy(form::verify).hasMessage("Invalid according to Policy: Extra input fields: bucket");
    }

    @Test
    void lengthRangesAreReported() throws Exception {
        assertThat(length("[\"content-length-range\", 1, 100]")).isEqualTo(new ContentLengthRange(1, 100));
        assertThat(length("[\"Content-Length-Range\", \"1\", \"100\"]")).isEqualTo(new ContentLengthRange(1, 100));
        assertThat(length("[\"content-length-range\", 1, 100], [\"content-length-range\", 0, 50]"))
                .isEqualTo(new ContentLengthRange(1, 50));
    }

    @Test
    void lengthOutsideOfTheRangeIsRefused() throws Exception {
        ContentLengthRange range = new ContentLengthRange(2, 5);

        range.require(2);
        range.require(5);
        assertThatThrownBy(() -> range.require(6)).isInstanceOfSatisfying(RequestVerificationException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.ENTITY_TOO_LARGE);
            assertThat(e.details()).containsEntry("MaxSizeAllowed", "5").containsEntry("ProposedSize", "6");
        });
        assertThatThrownBy(() -> range.require(1)).isInstanceOfSatisfying(RequestVerificationException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.ENTITY_TOO_SMALL);
            assertThat(e.details()).containsEntry("MinSizeAllowed", "2");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "invalid json",
                "[]",
                "null",
                "{}",
                "{\"conditions\": []}",
                "{\"expiration\": \"2144-11-08T04:19:33Z\"}",
                "{\"EXPIRATION\": \"2144-11-08T04:19:33Z\", \"conditions\": []}",
                "{\"expiration\": \"2144-11-08T04:19:33Z\", \"CONDITIONS\": []}",
                "{\"expiration\": true, \"conditions\": []}",
                "{\"expiration\": \"invalid\", \"conditions\": []}",
                "{\"expiration\": \"2144-11-08\", \"conditions\": []}",
                "{\"expiration\": \"2144-11-08 04:19:33+00:00\", \"conditions\": []}",
                "{\"expiration\": 1447000000, \"conditions\": []}",
                "{\"expiration\": \"2144-11-08T04:19:33Z\", \"conditions\": true}",
                "{\"expiration\": \"2144-11-08T04:19:33Z\", \"conditions\": {}}",
                "{\"expiration\": \"2144-11-08T04:19:33Z\", \"conditions\": [], \"extra\": 1}",
                "{\"expiration\": \"2144-11-08T04:19:33Z\", \"conditions\": []} more",
                "{\"expiration\": \"2144-11-08T04:19:33Z\", \"conditions\": []",
                "{\"expiration\": \"2144-11-08T04:19:33Z\", \"conditions\": [], \"conditions\": []}"
            })
    void refusesMalformedPolicies(String policy) {
        assertInvalid(Form.withPolicy(policy));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "\"eq\"",
                "{}",
                "[]",
                "{\"a\": \"b\", \"c\": \"d\"}",
                "{\"a\": 1}",
                "{\"a\": {}}",
                "{\"a\": [\"b\"]}",
                "[\"invalid\", \"$content-type\", \"a\"]",
                "[\"eq\", \"$content-type\"]",
                "[\"eq\", \"$content-type\", \"a\", \"b\"]",
                "[\"eq\", false, \"a\"]",
                "[\"eq\", \"$content-type\", true]",
                "[\"eq\", \"$content-type\", null]",
                "[\"eq\", \"$content-type\", [\"a\"]]",
                "[[\"eq\"], \"$content-type\", \"a\"]",
                "[\"content-length-range\", 0]",
                "[\"content-length-range\", 0, 1, 2]",
                "[\"content-length-range\", -1, 0]",
                "[\"content-length-range\", 0, 1.5]",
                "[\"content-length-range\", 0, 1e3]",
                "[\"content-length-range\", 12, false]",
                "[\"content-length-range\", \"invalid\", \"14\"]",
                "[\"content-length-range\", 0, 99999999999999999999]"
            })
    void refusesMalformedConditions(String condition) {
        assertInvalid(Form.signed(condition));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"eq\", \"content-type\", \"a\"]", "[\"eq\", \"$\", \"a\"]", "{\"\": \"a\"}"})
    void conditionOnNoFieldCannotBeMet(String condition) {
        assertThatThrownBy(
                        () -> Form.signed(condition).with("content-type", "a").verify())
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.ACCESS_DENIED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"not base64", "A", "=", "eyJ*"})
    void refusesPolicyThatIsNotBase64(String policy) {
        assertInvalid(Form.signed().with("policy", policy).signedAnew());
    }

    @Test
    void sizeAndDepthAreBounded() {
        String condition = "[\"eq\", \"$x-amz-meta-a\", \"" + "a".repeat(900) + "\"]";
        String[] many = new String[25];
        Arrays.fill(many, condition);

        assertInvalid(Form.signed(many));
        assertInvalid(Form.signed("[".repeat(1000) + "]".repeat(1000)));
        assertInvalid(Form.signed("{\"a\":".repeat(1000) + "1" + "}".repeat(1000)));
        assertInvalid(Form.withPolicy("[".repeat(15_000)));
    }

    @Test
    void policyHasTwentyKibibytesAtMost() throws Exception {
        String policy = Form.policy("2015-12-30T12:00:00Z", "[\"content-length-range\", 1, 20]");
        String most = policy + " ".repeat((20 << 10) - 2 - policy.length());

        assertThat(PolicyParser.parse(Form.base64(most)).length()).isEqualTo(new ContentLengthRange(1, 20));
        assertThatThrownBy(() -> PolicyParser.parse(Form.base64(most + ' ')))
                .hasMessage("Invalid Policy: it is longer than 20 KiB.");
    }

    @Test
    void damagedPoliciesAreRefusedOrMeanWhatTheySay() {
        Random random = new Random(9);
        String right = Form.policy(
                "2015-12-30T12:00:00Z",
                "{\"bucket\": \"b\"}, [\"starts-with\", \"$key\", \"a/\"], [\"content-length-range\", 1, 20]");
        for (int i = 0; i < INPUTS; i++) {
            StringBuilder damaged = new StringBuilder(right);
            for (int n = random.nextInt(4); n >= 0; n--) {
                int at = random.nextInt(damaged.length());
                switch (random.nextInt(3)) {
                    case 0 -> damaged.setCharAt(at, "{}[]\",:\\$u0 e-.\u0000\uD83D".charAt(random.nextInt(17)));
                    case 1 -> damaged.deleteCharAt(at);
                    default -> damaged.insert(at, right, 0, Math.min(at, 40));
                }
            }
            try {
                assertThat(PolicyParser.parse(Form.base64(damaged.toString()))).isNotNull();
            } catch (RequestVerificationException e) {
                assertThat(e.code()).isIn(Code.INVALID_POLICY_DOCUMENT, Code.ACCESS_DENIED);
            }
        }
    }

    private static ContentLengthRange length(String conditions) throws RequestVerificationException {
        return Form.signed(conditions).verify().length();
    }

    private static void assertInvalid(Form form) {
        assertThatThrownBy(form::verify)
                .hasMessageStartingWith("Invalid Policy: ")
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.INVALID_POLICY_DOCUMENT));
    }

    private static Arguments row(String condition, String name, String value, boolean met) {
        return Arguments.of(condition, name, value, met);
    }
}
