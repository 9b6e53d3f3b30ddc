package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads by a browser's form: what the policy allows is stored, and nothing else whatever the form says. */
interface FormCases extends EndpointWriteCases {
    /** Errors that are found when the origin may already have bytes of the file: a cut body has to tell it. */
    Set<String> FOUND_BEHIND_THE_FIRST_BYTE =
            Set.of("BadDigest", "EntityTooLarge", "EntityTooSmall", "MalformedPOSTRequest");

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100_000, 3_000_000})
    default void aFormStoresItsFile(int size) throws IOException {
        storedAndRead("form", "before", 10);
        byte[] file = GeneratedBytes.of("form").first(size);

        RawClient.Response response = send(PostForm.of(bucket(), "form", file)
                .allowed("Content-Type", "image/png")
                .allowed("x-amz-meta-kind", "photo")
                .ask());

        assertThat(response.status()).as(response.text()).isEqualTo(204);
        assertHolds("form", file);
        assertThat(head("form").headers())
                .containsEntry("content-type", "image/png")
                .containsEntry("x-amz-meta-kind", "photo")
                .containsEntry("etag", String.valueOf(response.headers().get("etag")));
    }

    @Test
    default void keyMayContainTheFileName() throws IOException {
        byte[] file = GeneratedBytes.of("named").first(100);

        RawClient.Response response = send(PostForm.free(bucket(), "up/${filename}", file)
                .condition("{\"bucket\": \"" + bucket() + "\"}")
                .condition("[\"starts-with\", \"$key\", \"up/\"]")
                .named("m\u00E4\u00DFig.png")
                .ask());

        assertThat(response.status()).as(response.text()).isEqualTo(204);
        assertHolds("up/m\u00E4\u00DFig.png", file);
    }

    @Test
    default void formChoosesItsSuccessStatus() throws IOException {
        byte[] file = new byte[10];
        for (Map.Entry<String, Integer> status :
                Map.of("200", 200, "201", 201, "204", 204, "500", 204, "x", 204).entrySet()) {
            RawClient.Response response = send(PostForm.of(bucket(), "answered", file)
                    .allowed("success_action_status", status.getKey())
                    .ask());
            assertThat(response.status()).as(status.getKey()).isEqualTo(status.getValue());
            if (status.getValue() == 201) {
                assertThat(response.element("Bucket")).isEqualTo(bucket());
                assertThat(response.element("Key")).isEqualTo("answered");
                assertThat(response.element("Location")).startsWith("http://").endsWith("/" + bucket() + "/answered");
            }
        }
        RawClient.Response redirect = send(PostForm.of(bucket(), "answered", file)
                .allowed("success_action_redirect", "https://example.org/done?a=b")
                .ask());
        assertThat(redirect.status()).isEqualTo(303);
        assertThat(redirect.headers().get("location"))
                .startsWith("https://example.org/done?a=b&")
                .contains("bucket=" + bucket(), "key=answered");
        RawClient.Response anchored = send(PostForm.of(bucket(), "answered", file)
                .allowed("success_action_redirect", "https://example.org/done#there?")
                .ask());
        assertThat(anchored.headers().get("location"))
                .startsWith("https://example.org/done?bucket=" + bucket() + "&key=answered&etag=")
                .endsWith("#there?");
    }

    /** It says how the body of a request comes, and a form's file comes as it is. */
    @Test
    default void theFileIsNotStoredAsInChunks() throws IOException {
        for (Map.Entry<String, String> encoding : Map.of("aws-chunked", "", "aws-chunked,gzip", "gzip", "gzip", "gzip")
                .entrySet()) {
            RawClient.Response response = send(PostForm.of(bucket(), "encoded", new byte[10])
                    .allowed("Content-Encoding", encoding.getKey())
                    .ask());
            assertThat(response.status()).as(response.text()).isEqualTo(204);
            assertThat(head("encoded").headers().getOrDefault("content-encoding", ""))
                    .as(encoding.getKey())
                    .isEqualTo(encoding.getValue());
        }
    }

    /** It would send a browser to a script. */
    @ParameterizedTest
    @ValueSource(strings = {"javascript:alert(1)", "//example.org", "/relative", "data:text/html,x", "https://a b/"})
    default void noBrowserIsSentToWhatIsNoAddress(String target) throws IOException {
        RawClient.Response response = send(PostForm.of(bucket(), "answered", new byte[10])
                .allowed("success_action_redirect", target)
                .ask());

        assertThat(response.status()).isEqualTo(204);
        assertThat(String.valueOf(response.headers().get("location")))
                .startsWith("http://")
                .endsWith("/" + bucket() + "/answered")
                .doesNotContain("example.org", "javascript");
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                refusal("past its time", PostForm::expired, 403, "AccessDenied"),
                refusal("another bucket", form -> form.condition("{\"bucket\": \"another\"}"), 403, "AccessDenied"),
                refusal("a field of another bucket", form -> form.allowed("bucket", "another"), 403, "AccessDenied"),
                refusal("another key", form -> form.field("key", "elsewhere"), 403, "AccessDenied"),
                refusal("a field nobody allowed", form -> form.field("x-amz-meta-a", "b"), 403, "AccessDenied"),
                refusal("a type nobody allowed", form -> form.field("Content-Type", "text/html"), 403, "AccessDenied"),
                refusal(
                        "a field that is missing",
                        form -> form.condition("{\"x-amz-meta-a\": \"b\"}"),
                        403,
                        "AccessDenied"),
                refusal(
                        "another value",
                        form -> form.field("x-amz-meta-a", "c").condition("{\"x-amz-meta-a\": \"b\"}"),
                        403,
                        "AccessDenied"),
                refusal(
                        "another beginning",
                        form -> form.field("Content-Type", "text/html")
                                .condition("[\"starts-with\", \"$Content-Type\", \"image/\"]"),
                        403,
                        "AccessDenied"),
                refusal(
                        "too large",
                        form -> form.condition("[\"content-length-range\", 0, 999]"),
                        400,
                        "EntityTooLarge"),
                refusal(
                        "too small",
                        form -> form.condition("[\"content-length-range\", 1001, 5000]"),
                        400,
                        "EntityTooSmall"),
                refusal(
                        "a condition of no kind",
                        form -> form.condition("[\"ends-with\", \"$key\", \"x\"]"),
                        400,
                        "InvalidPolicyDocument"),
                refusal("no JSON", form -> form.condition("{"), 400, "InvalidPolicyDocument"),
                refusal(
                        "another signature",
                        form -> form.field("x-amz-signature", "0".repeat(64)),
                        403,
                        "SignatureDoesNotMatch"),
                refusal("another secret", form -> form.by("TESTKEY", "not-it"), 403, "SignatureDoesNotMatch"),
                refusal("a key of nobody", form -> form.by("NOBODY", "not-it"), 403, "InvalidAccessKeyId"),
                refusal("no signature", PostForm::unsigned, 403, "AccessDenied"),
                refusal(
                        "a signer who may not write there",
                        form -> form.by(RESTRICTED_KEY, RESTRICTED_SECRET),
                        403,
                        "AccessDenied"),
                refusal("no file", PostForm::withoutFile, 400, "InvalidArgument"),
                refusal("no key", form -> form.field("key", ""), 400, "InvalidArgument"),
                refusal("a field behind the file", form -> form.behind("submit", "go"), 400, "MalformedPOSTRequest"),
                refusal(
                        "a wrong MD5",
                        form -> form.allowed("Content-MD5", TestChecksum.md5(new byte[1])),
                        400,
                        "BadDigest"),
                refusal(
                        "a wrong checksum",
                        form -> form.allowed("x-amz-checksum-crc32", TestChecksum.CRC32.of(new byte[1])),
                        400,
                        "BadDigest"),
                refusal(
                        "a line end in metadata",
                        form -> form.field("x-amz-meta-a", "b\r\nx-evil: 1")
                                .condition("[\"starts-with\", \"$x-amz-meta-a\", \"b\"]"),
                        400,
                        "InvalidArgument"),
                refusal(
                        "a field that nobody knows",
                        form -> form.allowed("x-amz-unheard-of", "1"),
                        501,
                        "NotImplemented"),
                refusal(
                        "a source to copy",
                        form -> form.allowed("x-amz-copy-source", "/bucket/key"),
                        501,
                        "NotImplemented"),
                refusal(
                        "a condition on a source",
                        form -> form.allowed("x-amz-copy-source-if-match", "tag"),
                        501,
                        "NotImplemented"),
                refusal("a hash", form -> form.allowed("x-amz-content-sha256", "0".repeat(64)), 501, "NotImplemented"),
                refusal(
                        "a length of chunks",
                        form -> form.allowed("x-amz-decoded-content-length", "1000"),
                        501,
                        "NotImplemented"),
                refusal(
                        "a trailer",
                        form -> form.allowed("x-amz-trailer", "x-amz-checksum-crc32"),
                        501,
                        "NotImplemented"),
                refusal("a condition", form -> form.allowed("If-None-Match", "*"), 501, "NotImplemented"),
                refusal(
                        "metadata whose name is none",
                        form -> form.allowed("x-amz-meta-a b", "1"),
                        400,
                        "InvalidArgument"),
                refusal(
                        "too much in front of the file",
                        form -> form.field("x-ignore-a", "i".repeat(40_000)),
                        400,
                        "MaxPostPreDataLengthExceeded"));
    }

    private static Arguments refusal(String why, UnaryOperator<PostForm> change, int status, String code) {
        return Arguments.of(why, change, status, code);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    default void aFormThatIsNotAllowedStoresNothing(String why, UnaryOperator<PostForm> change, int status, String code)
            throws IOException {
        assumeTrue(
                !FOUND_BEHIND_THE_FIRST_BYTE.contains(code) || can(OptionalFeature.DISCARDS_CUT_BODIES),
                "stores bodies that are cut");
        byte[] before = stored("form-kept", "before", 10);
        byte[] file = GeneratedBytes.of("not allowed").first(1000);

        RawClient.Response response =
                send(change.apply(PostForm.of(bucket(), "form-kept", file)).ask());

        EndpointWriteCases.assertError(response, status, code);
        assertHolds("form-kept", before);
        assertThat(get("elsewhere").status()).isEqualTo(404);
    }

    @Test
    default void refusesMalformedForms() throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/" + bucket()).anonymous().body("a=b")), 412, "PreconditionFailed");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/" + bucket())
                        .anonymous()
                        .with("Content-Type: multipart/form-data; boundary=b")
                        .body("not a form")),
                400,
                "MalformedPOSTRequest");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", "/" + bucket())
                        .anonymous()
                        .with("Content-Type: multipart/form-data; boundary=b", "Transfer-Encoding: chunked")),
                411,
                "MissingContentLength");
    }

    /** The last bytes of a file come only with the right end behind it. */
    @Test
    default void aFormThatEndsOtherwiseStoresNothing() throws IOException {
        assumeTrue(can(OptionalFeature.DISCARDS_CUT_BODIES), "stores bodies that are cut");
        byte[] file = GeneratedBytes.of("form").first(100_000);
        SignedWriteRequest ask = PostForm.of(bucket(), "form-end", file).ask();
        String right = ask.bodyText();

        for (String wrong : new String[] {
            right.substring(0, right.length() - 4) + "\r\n--",
            right.substring(0, right.length() - 4) + "XX\r\n",
            right.replace("\r\n--", "\r\n++"),
            "x" + right.substring(1)
        }) {
            assertThat(wrong).hasSameSizeAs(right);
            RawClient.Response response = RawClient.ask(gateway().port(), ask.textWithBody(wrong));
            assertThat(response.status()).as(response.text()).isEqualTo(400);
            assertAbsent("form-end");
        }
    }

    /** However the form falls onto the wire. */
    @ParameterizedTest
    @ValueSource(ints = {1, 13, 1000})
    default void aFormThatComesInPiecesIsTheSame(int size) throws Exception {
        byte[] file = GeneratedBytes.of("pieces").first(300 * size);
        byte[] request = PostForm.of(bucket(), "form-pieces", file).ask().text().getBytes(StandardCharsets.ISO_8859_1);

        try (RawClient client = new RawClient(gateway().port())) {
            for (int at = 0; at < request.length; at += size) {
                client.socket().getOutputStream().write(request, at, Math.min(size, request.length - at));
            }
            assertThat(client.send("").status()).isEqualTo(204);
        }
        assertHolds("form-pieces", file);
    }
}
