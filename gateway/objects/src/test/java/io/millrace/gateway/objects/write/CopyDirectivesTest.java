package io.millrace.gateway.objects.write;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** A copy between backends has of its source what the directives of its request say, and a checksum of all bytes. */
@ExtendWith(BufferLeakExtension.class)
class CopyDirectivesTest {
    private static final byte[] BYTES = new byte[UploadBodies.PIECE + 1];
    private static final String TAGS = "<Tagging><TagSet><Tag><Key>a b</Key><Value>1</Value></Tag></TagSet></Tagging>";

    private final RecordedBackend backend = new RecordedBackend();
    private final BucketView bucket = BucketViews.of("bucket", backend, "real", "");
    private final ObjectRef from = bucket.at(new ObjectKey("from"));
    private final NewObject target =
            new NewObject(bucket.at(new ObjectKey("to")), fields("x-amz-unused", "1"), new WriteCondition.IfAbsent());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "content-type",
                "content-encoding",
                "content-language",
                "content-disposition",
                "cache-control",
                "expires",
                "x-amz-meta-a"
            })
    void descriptionIsThatOfTheSourceUnlessItIsReplaced(String field) {
        HeaderList source = fields(field, "of the source");
        HeaderList request = fields(field, "of the request");
        HeaderList replacing = request.with("x-amz-metadata-directive", "REPLACE");

        assertThat(described(source, request)).isEqualTo(source);
        assertThat(described(source, request.with("x-amz-metadata-directive", "COPY")))
                .isEqualTo(source);
        assertThat(described(source, replacing)).isEqualTo(request);
        assertThat(described(source, fields("x-amz-metadata-directive", "REPLACE")))
                .isEqualTo(HeaderList.EMPTY);
    }

    @Test
    void storingIsThatOfTheRequestAlone() {
        HeaderList source = fields("x-amz-storage-class", "GLACIER")
                .with("x-amz-website-redirect-location", "/there")
                .with("x-amz-version-id", "v");
        HeaderList storing = fields("x-amz-storage-class", "STANDARD").with("x-amz-acl", "private");
        HeaderList request = storing.with("content-md5", "of an empty body")
                .with("x-amz-checksum-crc32", "of an empty body")
                .with("x-amz-sdk-checksum-algorithm", "CRC32")
                .with("x-amz-tagging-directive", "COPY")
                .with("x-amz-tagging", "left=out");

        assertThat(described(source, request)).isEqualTo(storing);
    }

    @Test
    void targetAndItsConditionStay() {
        NewObject described = copy(HeaderList.EMPTY)
                .described(head(HeaderList.EMPTY, Optional.empty()), target)
                .blockOptional()
                .orElseThrow();

        assertThat(described).isEqualTo(new NewObject(target.object(), HeaderList.EMPTY, target.condition()));
    }

    @Test
    void replacedTagsAreThoseOfTheRequest() {
        HeaderList replacing = fields("x-amz-tagging-directive", "REPLACE");

        assertThat(described(fields("x-amz-tagging-count", "2"), replacing)).isEqualTo(HeaderList.EMPTY);
        assertThat(described(fields("x-amz-tagging-count", "2"), replacing.with("x-amz-tagging", "a=1")))
                .isEqualTo(fields("x-amz-tagging", "a=1"));
        assertThat(backend.forwarded).isEmpty();
    }

    @Test
    void tagsOfTheSourceAreAskedForIfItHasSome() {
        assertThat(described(fields("x-amz-tagging-count", "0"), HeaderList.EMPTY))
                .isEqualTo(HeaderList.EMPTY);
        assertThat(backend.forwarded).isEmpty();

        assertThat(described(fields("x-amz-tagging-count", "1"), HeaderList.EMPTY))
                .isEqualTo(fields("x-amz-tagging", "a%20b=1"));

        ForwardRequest request = backend.forwarded.get(0);
        assertThat(request.method()).isEqualTo("GET");
        assertThat(request.bucket()).isEqualTo(from.bucket());
        assertThat(request.key()).contains(from.key());
        assertThat(request.query()).containsExactly(new QueryParameter("tagging", ""));
        assertThat(request.body().remaining()).isZero();
    }

    /** That which was opened, and otherwise that which was asked for. */
    @ParameterizedTest
    @CsvSource({"opened, wanted, opened", ", wanted, wanted", "opened, , opened"})
    void tagsAreOfTheVersionThatIsCopied(@Nullable String opened, @Nullable String wanted, String copied) {
        StreamedCopy copy = new StreamedCopy(
                new CopyOrigin(bucket, new CopySource(from, Optional.ofNullable(wanted), ReadConditions.NONE)),
                HeaderList.EMPTY);

        copy.described(head(fields("x-amz-tagging-count", "1"), Optional.ofNullable(opened)), target)
                .block();

        assertThat(backend.forwarded.get(0).query())
                .containsExactly(new QueryParameter("tagging", ""), new QueryParameter("versionId", copied));
    }

    @Test
    void tagsThatCannotBeReadAreNotLeftOut() {
        HeaderList tagged = fields("x-amz-tagging-count", "1");
        backend.document = "<Tagging><TagSet><Tag/></TagSet></Tagging>";
        BackendException invalid =
                catchThrowableOfType(BackendException.class, () -> described(tagged, HeaderList.EMPTY));
        backend.capabilities.remove(Capability.TAGS);
        S3Exception unsupported = catchThrowableOfType(S3Exception.class, () -> described(tagged, HeaderList.EMPTY));

        assertThat(invalid.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(invalid).hasMessageContaining(from.toString());
        assertThat(unsupported.code()).isEqualTo("NotImplemented");
        assertThat(unsupported.text()).contains("x-amz-tagging-directive: REPLACE");
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-checksum-crc32, AAAAAA==, FULL_OBJECT, true",
        "x-amz-checksum-sha256, abc=, , true",
        "x-amz-checksum-crc32, AAAAAA==, COMPOSITE, false",
        "x-amz-checksum-crc32, AAAAAA==, composite, false",
        "x-amz-checksum-sha1, abc=-3, , false",
        "x-amz-checksum-sha512, abc=, , false",
        "x-amz-checksum-crc64nvme, abc=, FULL_OBJECT, false",
    })
    void checksumOfAllBytesGoesAlong(String name, String value, @Nullable String type, boolean sent) {
        HeaderList plain = fields("content-type", "text/x").with(name, value);
        HeaderList source = type == null ? plain : plain.with("x-amz-checksum-type", type);
        HeaderList kept = fields("content-type", "text/x");

        write(source, HeaderList.EMPTY);

        assertThat(backend.written).containsExactly(sent ? kept.with(name, value) : kept);
        assertThat(backend.trailers).containsExactly(Optional.empty());
    }

    @Test
    void checksumIsNotSentWhereItIsNotStored() {
        backend.capabilities.remove(Capability.CHECKSUMS);

        write(fields("x-amz-checksum-crc32", "AAAAAA=="), HeaderList.EMPTY);

        assertThat(backend.written).containsExactly(HeaderList.EMPTY);
    }

    @ParameterizedTest
    @CsvSource({"crc32, CRC32", "SHA256, SHA256", "CRC64NVME, CRC64NVME"})
    void requestedChecksumIsComputedOnTheWay(String wanted, ChecksumAlgorithm algorithm) {
        ChecksumDigest expected = algorithm.newDigest();
        expected.update(BYTES);

        write(fields("x-amz-checksum-crc32", "AAAAAA=="), fields("x-amz-checksum-algorithm", wanted));

        assertThat(backend.written).as("that of the source is not sent too").containsExactly(HeaderList.EMPTY);
        assertThat(backend.trailers).containsExactly(Optional.of(algorithm.headerName() + ": " + expected.base64()));
        assertThat(backend.received).isEqualTo(BYTES.length);
    }

    @Test
    void requestedChecksumIsThatOfAnEmptyObjectToo() {
        UploadBody empty = ChecksummingBody.of(UploadBodies.of(new byte[0]), ChecksumAlgorithm.CRC32);

        assertThat(empty.trailer().orElseThrow().value().get()).isEqualTo("AAAAAA==");
        assertThat(empty.length()).isZero();
    }

    @Test
    void requestedChecksumIsNotKnownBeforeTheLastByte() {
        UploadBody body = ChecksummingBody.of(UploadBodies.of(BYTES), ChecksumAlgorithm.CRC32);
        assertThatThrownBy(() -> body.trailer().orElseThrow().value().get()).isInstanceOf(IllegalStateException.class);

        body.pieces().take(1).doOnNext(UploadBodies::takeBytes).blockLast();

        assertThatThrownBy(() -> body.trailer().orElseThrow().value().get())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("last piece");
    }

    @Test
    void checksumThatIsNotComputedIsRefused() {
        S3Exception unknown =
                catchThrowableOfType(S3Exception.class, () -> copy(fields("x-amz-checksum-algorithm", "CRC31")));
        S3Exception passedOn =
                catchThrowableOfType(S3Exception.class, () -> copy(fields("x-amz-checksum-algorithm", "XXHASH64")));

        assertThat(unknown.code()).isEqualTo("InvalidRequest");
        assertThat(unknown.text()).contains("CRC31");
        assertThat(passedOn.code()).isEqualTo("NotImplemented");
        assertThat(passedOn.details()).containsEntry("Header", "x-amz-checksum-algorithm");
    }

    @Test
    void copyIsInsideOfABackendThatCopies() {
        CopyOrigin origin = new CopyOrigin(bucket, new CopySource(from, Optional.empty(), ReadConditions.NONE));
        BucketView beside = BucketViews.of("beside", backend, "beside", "");
        BucketView elsewhere = new BucketView(
                bucket.name(), BucketViews.settings("far", "far", Optional.empty(), ""), backend, bucket.savings());

        assertThat(origin.isInside(beside)).as("it does not copy").isFalse();
        backend.capabilities.add(Capability.COPY);
        assertThat(origin.isInside(beside)).isTrue();
        assertThat(origin.isInside(elsewhere)).isFalse();
    }

    private void write(HeaderList source, HeaderList request) {
        copy(request)
                .write(new OpenedCopyOrigin(head(source, Optional.empty()), UploadBodies.of(BYTES)), backend, target)
                .block();
    }

    private HeaderList described(HeaderList source, HeaderList request) {
        return copy(request)
                .described(head(source, Optional.empty()), target)
                .blockOptional()
                .orElseThrow()
                .headers();
    }

    private StreamedCopy copy(HeaderList request) {
        return new StreamedCopy(
                new CopyOrigin(bucket, new CopySource(from, Optional.empty(), ReadConditions.NONE)), request);
    }

    private static ObjectHead head(HeaderList headers, Optional<String> versionId) {
        Optional<ETag> tag = Optional.of(ETag.strong("v"));
        return new ObjectHead(ObjectVersion.ofETag(tag, BYTES.length, versionId), tag, Optional.empty(), headers);
    }

    private static HeaderList fields(String name, String value) {
        return HeaderList.EMPTY.with(name, value);
    }

    /** A backend that records what is written to it, and has one document for all tags. */
    private static final class RecordedBackend extends PassingBackend {
        final Set<Capability> capabilities = EnumSet.of(Capability.TAGS, Capability.CHECKSUMS);
        final List<ForwardRequest> forwarded = new ArrayList<>();
        final List<HeaderList> written = new ArrayList<>();
        final List<Optional<String>> trailers = new ArrayList<>();
        String document = TAGS;
        int received;

        RecordedBackend() {
            super(new InMemoryBackend());
        }

        @Override
        public Set<Capability> capabilities() {
            return capabilities;
        }

        @Override
        public Mono<ForwardResponse> forward(ForwardRequest request) {
            forwarded.add(request);
            return Mono.just(new ForwardResponse(200, HeaderList.EMPTY, ByteBuffer.wrap(document.getBytes(UTF_8))));
        }

        @Override
        public Mono<WriteResult> put(NewObject object, UploadBody body) {
            return body.pieces()
                    .doOnNext(piece -> received += UploadBodies.takeBytes(piece).length)
                    .then(Mono.fromSupplier(() -> {
                        written.add(object.headers());
                        trailers.add(body.trailer()
                                .map(field ->
                                        field.name() + ": " + field.value().get()));
                        return new WriteResult(Optional.empty(), HeaderList.EMPTY, Optional.empty());
                    }));
        }
    }
}
