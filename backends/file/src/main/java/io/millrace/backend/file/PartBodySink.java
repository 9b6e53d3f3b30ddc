package io.millrace.backend.file;

import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Receives the bytes of one part into a temporary file and adds that file to its multipart upload. */
final class PartBodySink implements UploadBodyWriter.BodySink<StoredPart> {
    private final MultipartUpload upload;
    private final int number;
    private final HeaderList headers;
    private final Optional<UploadBody.Trailer> trailer;
    private final UploadStore uploads;
    private final SharedWriteComponents context;
    private HeaderList fields = HeaderList.EMPTY;
    private Optional<ChecksumAlgorithm> checksumToCompute = Optional.empty();
    private @Nullable DigestingTemporaryFile file;

    PartBodySink(
            MultipartUpload upload,
            int number,
            HeaderList headers,
            Optional<UploadBody.Trailer> trailer,
            UploadStore uploads,
            SharedWriteComponents workshop) {
        this.upload = upload;
        this.number = number;
        this.headers = headers;
        this.trailer = trailer;
        this.uploads = uploads;
        this.context = workshop;
    }

    @Override
    public void open() throws IOException {
        checkNumber(number);
        fields = WriteHeaderPolicy.checksums(WriteHeaderPolicy.storable("file", headers));
        checksumToCompute = uploads.find(upload).checksum().map(UploadChecksumSpec::algorithm);
        file = DigestingTemporaryFile.create(
                context.temporaryPaths().newPath(), checksumToCompute, context.openFiles());
    }

    @Override
    public void write(ByteBuf piece) throws IOException {
        openedFile().write(piece);
    }

    @Override
    public StoredPart finish() throws IOException {
        StoredContentMetadata content = store();
        return new StoredPart(number, content.tag(), content.headers(), Optional.empty());
    }

    @Override
    public void abandon() {
        if (file != null) {
            file.discard();
        }
    }

    /** Adds the written file to its upload. */
    StoredContentMetadata store() throws IOException {
        HeaderList sums = ObjectBodySink.withTrailer(fields, trailer);
        if (checksumToCompute.isPresent()
                && sums.first(checksumToCompute.get().headerName()).isEmpty()) {
            byte[] sum = openedFile().checksum().orElseThrow();
            sums = sums.with(checksumToCompute.get().headerName(), Base64Digest.encode(sum));
        }
        ETag tag = ETag.strong(openedFile().md5Hex());
        StoredContentMetadata content = new StoredContentMetadata(
                openedFile().size(), context.temporaryPaths().uniqueTime(), tag, sums);
        PartFile.seal(openedFile(), upload.object().key(), content);
        uploads.placePart(upload, number, openedFile().path());
        return content;
    }

    /** Returns the file, which must be open. */
    DigestingTemporaryFile openedFile() {
        return Objects.requireNonNull(file, "open() must be called first");
    }

    private static void checkNumber(int number) {
        if (number < 1 || number > MultipartUploads.MAX_PARTS) {
            throw InvalidRequestErrors.error(
                    "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
        }
    }
}
