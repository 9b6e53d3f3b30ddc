package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/** Uploads in parts, from their beginning to their end, whatever comes between. */
interface MultipartUploadCases extends EndpointWriteCases {
    /** The least that S3 takes of a part that is not the last. */
    int LEAST = 5 << 20;

    @Test
    default void partsThatComeInAnyOrderMakeTheObject() throws IOException {
        storedAndRead("parts", "before", 1000);
        String id = begun("parts", "Content-Type: text/parts", "x-amz-meta-kind: parts");
        byte[] first = GeneratedBytes.of("first").first(LEAST);
        byte[] last = GeneratedBytes.of("last").first(1000);
        String lastTag = part("parts", id, 10_000, last);
        part("parts", id, 3, GeneratedBytes.of("replaced").first(LEAST));
        String firstTag = part("parts", id, 3, first);
        assertHolds("parts", GeneratedBytes.of("before").first(1000));

        RawClient.Response response = complete("parts", id, Map.of(3, firstTag, 10_000, lastTag));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        byte[] all = joined(first, last);
        assertHolds("parts", all);
        String tag = response.element("ETag").replace("&quot;", "\"");
        if (can(OptionalFeature.MD5_TAGS)) {
            String sums = HexFormat.of().formatHex(PayloadSigning.digest("MD5", joined(md5(first), md5(last))));
            assertThat(tag).isEqualTo("\"" + sums + "-2\"");
        }
        assertThat(response.element("Key")).isEqualTo("parts");
        assertThat(response.element("Location")).startsWith("http://").endsWith("/" + bucket() + "/parts");
        assertThat(head("parts").headers()).containsEntry("etag", tag).containsEntry("x-amz-meta-kind", "parts");
        if (can(OptionalFeature.REPLACES_FIELDS)) {
            assertThat(head("parts").headers()).containsEntry("content-type", "text/parts");
        }
        assertThat(get("parts", "Range: bytes=5242870-5242889").bytes())
                .isEqualTo(Arrays.copyOfRange(all, LEAST - 10, LEAST + 10));
        if (can(OptionalFeature.REMEMBERS_PARTS)) {
            RawClient.Response second = send(SignedWriteRequest.get(target("parts") + "?partNumber=2"));
            assertThat(second.status()).isEqualTo(206);
            assertThat(second.bytes()).isEqualTo(last);
            assertThat(second.headers()).containsEntry("x-amz-mp-parts-count", "2");
        }
    }

    @Test
    default void repeatedCompletionReturnsTheSameResult() throws IOException {
        assumeTrue(can(OptionalFeature.COMPLETES_TWICE), "forgets uploads");
        String id = begun("twice");
        String tag = part("twice", id, 1, new byte[100]);

        RawClient.Response first = complete("twice", id, Map.of(1, tag));
        RawClient.Response again = complete("twice", id, Map.of(1, tag));

        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(again.element("ETag")).isEqualTo(first.element("ETag"));
        assertHolds("twice", new byte[100]);
    }

    @Test
    default void anUploadThatIsGivenUpLeavesNothing() throws IOException {
        String id = begun("given-up");
        String tag = part("given-up", id, 1, new byte[100]);
        assertThat(send(SignedWriteRequest.of("DELETE", upload("given-up", id))).status())
                .isEqualTo(204);

        assertAbsent("given-up");
        if (can(OptionalFeature.MISSES_UPLOADS)) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.put(upload("given-up", id) + "&partNumber=2", new byte[1])),
                    404,
                    "NoSuchUpload");
            EndpointWriteCases.assertError(complete("given-up", id, Map.of(1, tag)), 404, "NoSuchUpload");
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.of("DELETE", upload("given-up", id))), 404, "NoSuchUpload");
            EndpointWriteCases.assertError(send(SignedWriteRequest.get(upload("given-up", id))), 404, "NoSuchUpload");
        }
        assertAbsent("given-up");
    }

    @Test
    default void anUploadBelongsToItsKey() throws IOException {
        assumeTrue(can(OptionalFeature.MISSES_UPLOADS), "does not look whether an upload is there");
        String id = begun("its-key");

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(upload("other-key", id) + "&partNumber=1", new byte[1])),
                404,
                "NoSuchUpload");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("DELETE", upload("other-key", id))), 404, "NoSuchUpload");

        assertThat(send(SignedWriteRequest.of("DELETE", upload("its-key", id))).status())
                .isEqualTo(204);
    }

    @Test
    default void refusesCompletionWithWrongParts() throws IOException {
        byte[] before = stored("wrong-part", "before", 100);
        String id = begun("wrong-part");
        String tag = part("wrong-part", id, 1, new byte[100]);

        EndpointWriteCases.assertError(
                complete("wrong-part", id, Map.of(1, "\"0123456789abcdef0123456789abcdef\"")), 400, "InvalidPart");
        EndpointWriteCases.assertError(complete("wrong-part", id, Map.of(2, tag)), 400, "InvalidPart");

        assertHolds("wrong-part", before);
        assertThat(complete("wrong-part", id, Map.of(1, tag)).status()).isEqualTo(200);
        assertHolds("wrong-part", new byte[100]);
    }

    @Test
    default void partsOutOfOrderAreRefused() throws IOException {
        assumeTrue(can(OptionalFeature.PART_ORDER), "looks at something else first");
        String id = begun("disordered");
        String tag = part("disordered", id, 1, new byte[LEAST]);
        String other = part("disordered", id, 2, new byte[10]);

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", upload("disordered", id))
                        .body("<CompleteMultipartUpload>" + named(2, other) + named(1, tag)
                                + "</CompleteMultipartUpload>")),
                400,
                "InvalidPartOrder");

        assertAbsent("disordered");
        send(SignedWriteRequest.of("DELETE", upload("disordered", id)));
    }

    @Test
    default void aSmallPartInTheMiddleIsRefused() throws IOException {
        String id = begun("small");
        String tag = part("small", id, 1, new byte[100]);
        String other = part("small", id, 2, new byte[100]);

        EndpointWriteCases.assertError(complete("small", id, Map.of(1, tag, 2, other)), 400, "EntityTooSmall");

        assertAbsent("small");
        send(SignedWriteRequest.of("DELETE", upload("small", id)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "10001", "-1", "", "x", "1.5", "99999999999"})
    default void numbersThatNoPartHasAreRefused(String number) throws IOException {
        String id = begun("numbered");

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(upload("numbered", id) + "&partNumber=" + number, new byte[1])),
                400,
                "InvalidArgument");

        send(SignedWriteRequest.of("DELETE", upload("numbered", id)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<CompleteMultipartUpload/>",
                "<CompleteMultipartUpload><Part/></CompleteMultipartUpload>",
                "<CompleteMultipartUpload><Part><PartNumber>x</PartNumber><ETag>a</ETag></Part>"
                        + "</CompleteMultipartUpload>",
                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>",
                "<!DOCTYPE a [<!ENTITY a \"1\">]><CompleteMultipartUpload><Part><PartNumber>&a;</PartNumber>"
                        + "<ETag>a</ETag></Part></CompleteMultipartUpload>"
            })
    default void aCompletionThatIsNoneIsRefused(String document) throws IOException {
        String id = begun("uncompleted");
        part("uncompleted", id, 1, new byte[1]);

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", upload("uncompleted", id)).body(document)), 400, "MalformedXML");

        assertAbsent("uncompleted");
        send(SignedWriteRequest.of("DELETE", upload("uncompleted", id)));
    }

    @Test
    default void partsAreListedPageByPage() throws IOException {
        assumeTrue(can(OptionalFeature.PAGES_OF_PARTS), "lists all at once");
        String id = begun("listed-parts");
        for (int number : List.of(9, 1, 5, 10_000, 2)) {
            part("listed-parts", id, number, new byte[number % 100 + 1]);
        }
        List<String> numbers = new ArrayList<>();
        String marker = "0";
        for (int page = 0; page < 3; page++) {
            RawClient.Response response = send(
                    SignedWriteRequest.get(upload("listed-parts", id) + "&max-parts=2&part-number-marker=" + marker));
            assertThat(response.status()).as(response.text()).isEqualTo(200);
            for (String part : response.text().split("<PartNumber>", -1)) {
                numbers.add(part.substring(0, Math.max(0, part.indexOf('<'))));
            }
            assertThat(response.element("IsTruncated")).isEqualTo(Boolean.toString(page < 2));
            marker = response.element("NextPartNumberMarker");
        }
        assertThat(numbers.stream().filter(number -> number.matches("[0-9]+")))
                .containsExactly("1", "2", "5", "9", "10000");
        send(SignedWriteRequest.of("DELETE", upload("listed-parts", id)));
    }

    @Test
    default void uploadsThatHaveNotEndedAreListed() throws IOException {
        String id = begun("listed-upload");
        String other = begun("listed-upload");

        String listed = send(SignedWriteRequest.get("/" + bucket() + "?prefix=listed-upload&uploads"))
                .text();
        assertThat(listed).contains("<UploadId>" + id + "</UploadId>", "<UploadId>" + other + "</UploadId>");

        send(SignedWriteRequest.of("DELETE", upload("listed-upload", id)));
        send(SignedWriteRequest.of("DELETE", upload("listed-upload", other)));
        assertThat(send(SignedWriteRequest.get("/" + bucket() + "?prefix=listed-upload&uploads"))
                        .text())
                .doesNotContain("<UploadId>");
    }

    @Test
    default void partsWithWrongChecksumsAreNotStored() throws IOException {
        String id = begun("summed-parts");
        byte[] bytes = GeneratedBytes.of("part").first(10_000);

        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.put(upload("summed-parts", id) + "&partNumber=1", bytes)
                        .with("Content-MD5: " + TestChecksum.md5(new byte[0])),
                SignedWriteRequest.of("PUT", upload("summed-parts", id) + "&partNumber=1")
                        .unsignedChunks(bytes, 10_000, TestChecksum.CRC32.line(new byte[0])))) {
            EndpointWriteCases.assertError(send(ask), 400, "BadDigest");
        }
        assertThat(send(SignedWriteRequest.get(upload("summed-parts", id))).text())
                .doesNotContain("<PartNumber>");
        send(SignedWriteRequest.of("DELETE", upload("summed-parts", id)));
    }

    @ParameterizedTest
    @CsvSource({"CRC32, COMPOSITE", "SHA256, COMPOSITE", "CRC64NVME, FULL_OBJECT"})
    default void checksumsOfPartsMakeThatOfTheObject(TestChecksum sum, String type) throws IOException {
        assumeTrue(can(OptionalFeature.COMPOSITE_CHECKSUMS), "sums no parts");
        String id = begun("composite", "x-amz-checksum-algorithm: " + sum.name(), "x-amz-checksum-type: " + type);
        byte[] bytes = GeneratedBytes.of("part").first(10_000);
        String tag = part("composite", id, 1, bytes, sum.line(bytes));
        String element = "Checksum" + sum.name();
        String document = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + tag + "</ETag><" + element
                + ">" + sum.of(bytes) + "</" + element + "></Part></CompleteMultipartUpload>";

        RawClient.Response response =
                send(SignedWriteRequest.of("POST", upload("composite", id)).body(document));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        String whole = type.equals("FULL_OBJECT")
                ? sum.of(bytes)
                : sum.of(Base64.getDecoder().decode(sum.of(bytes))) + "-1";
        assertThat(response.element(element)).isEqualTo(whole);
        assertThat(response.element("ChecksumType")).isEqualTo(type);
        assertThat(head("composite", "x-amz-checksum-mode: ENABLED").headers())
                .containsEntry(sum.field(), whole)
                .containsEntry("x-amz-checksum-type", type);
    }

    @Test
    default void partsAreCopiedInsideAndAcross() throws IOException {
        byte[] source = stored("part-source", "source", 100_000);
        byte[] across = GeneratedBytes.of("across").first(LEAST + 1000);
        send(SignedWriteRequest.put("/" + ACROSS + "/part-source", across));
        String id = begun("copied-parts");

        RawClient.Response first = send(SignedWriteRequest.of("PUT", upload("copied-parts", id) + "&partNumber=1")
                .with(
                        "x-amz-copy-source: /" + ACROSS + "/part-source",
                        "x-amz-copy-source-range: bytes=100-" + (LEAST + 99)));
        RawClient.Response second = send(SignedWriteRequest.of("PUT", upload("copied-parts", id) + "&partNumber=2")
                .with("x-amz-copy-source: " + target("part-source"), "x-amz-copy-source-range: bytes=5-99"));

        assertThat(first.status()).as(first.text()).isEqualTo(200);
        assertThat(second.status()).as(second.text()).isEqualTo(200);
        assertThat(first.element("LastModified")).isNotEmpty();
        assertThat(complete("copied-parts", id, Map.of(1, tagOf(first), 2, tagOf(second)))
                        .status())
                .isEqualTo(200);
        assertHolds(
                "copied-parts",
                joined(Arrays.copyOfRange(across, 100, LEAST + 100), Arrays.copyOfRange(source, 5, 100)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=5-1", "bytes=0-", "bytes=-5", "0-5", "bytes=a-b", "bytes=0-5,7-9", "items=0-1"})
    default void rangesThatNoCopyHasAreRefused(String range) throws IOException {
        stored("part-source", "source", 100_000);
        String id = begun("ranged");

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", upload("ranged", id) + "&partNumber=1")
                        .with("x-amz-copy-source: " + target("part-source"), "x-amz-copy-source-range: " + range)),
                400,
                "InvalidArgument");

        send(SignedWriteRequest.of("DELETE", upload("ranged", id)));
    }

    /** The backend keeps uploads, so one that was begun here ends anywhere. */
    @Test
    default void uploadContinuesAtAnotherGateway() throws IOException {
        String id = begun("moved");
        byte[] first = GeneratedBytes.of("moved").first(LEAST);
        String firstTag = part("moved", id, 1, first);

        try (TestGateway other = TestGateway.over(origin().backend())) {
            RawClient.Response second = SignedWriteRequest.put(upload("moved", id) + "&partNumber=2", new byte[10])
                    .send(other.port());
            assertThat(second.status()).as(second.text()).isEqualTo(200);
            RawClient.Response done = SignedWriteRequest.of("POST", upload("moved", id))
                    .body(document(Map.of(
                            1, firstTag, 2, String.valueOf(second.headers().get("etag")))))
                    .send(other.port());
            assertThat(done.status()).as(done.text()).isEqualTo(200);
        }

        assertHolds("moved", joined(first, new byte[10]));
    }

    @Test
    default void failedCompletionConditionKeepsTheUpload() throws IOException {
        assumeTrue(can(OptionalFeature.COMPLETES_TWICE), "completes without conditions");
        byte[] before = storedAndRead("conditional", "before", 10);
        String id = begun("conditional");
        String tag = part("conditional", id, 1, new byte[100]);

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("POST", upload("conditional", id))
                        .body(document(Map.of(1, tag)))
                        .with("If-None-Match: *")),
                412,
                "PreconditionFailed");
        assertHolds("conditional", before);

        assertThat(complete("conditional", id, Map.of(1, tag)).status()).isEqualTo(200);
        assertHolds("conditional", new byte[100]);
    }

    private String begun(String key, String... fields) throws IOException {
        RawClient.Response response =
                send(SignedWriteRequest.of("POST", target(key) + "?uploads").with(fields));
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.element("Key")).isEqualTo(key);
        return response.element("UploadId");
    }

    /** The tag of a part that was stored. */
    private String part(String key, String id, int number, byte[] bytes, String... fields) throws IOException {
        RawClient.Response response = send(SignedWriteRequest.put(upload(key, id) + "&partNumber=" + number, bytes)
                .with(fields));
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        return String.valueOf(response.headers().get("etag"));
    }

    private RawClient.Response complete(String key, String id, Map<Integer, String> tags) throws IOException {
        return send(SignedWriteRequest.of("POST", upload(key, id)).body(document(tags)));
    }

    private String upload(String key, String id) {
        return target(key) + "?uploadId=" + SdkHttpUtils.urlEncode(id);
    }

    private static String document(Map<Integer, String> tags) {
        StringBuilder parts = new StringBuilder();
        new TreeMap<>(tags).forEach((number, tag) -> parts.append(named(number, tag)));
        return "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" + parts
                + "</CompleteMultipartUpload>";
    }

    private static String named(int number, String tag) {
        return "<Part><PartNumber>" + number + "</PartNumber><ETag>" + tag + "</ETag></Part>";
    }

    private static String tagOf(RawClient.Response copied) {
        return copied.element("ETag").replace("&quot;", "\"").replace("&#34;", "\"");
    }

    private static byte[] md5(byte[] bytes) {
        return PayloadSigning.digest("MD5", bytes);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
