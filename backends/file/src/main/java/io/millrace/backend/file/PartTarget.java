package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.checksum.Base64Value;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes the bytes of one part in. */
final class PartTarget implements Receiving.Target<StoredPart> {
    private final Upload upload;
    private final int number;
    private final HeaderList headers;
    private final Optional<UploadBody.Trailer> trailer;
    private final Uploads uploads;
    private final Workshop workshop;
    private HeaderList fields = HeaderList.EMPTY;
    private Optional<ChecksumAlgorithm> wanted = Optional.empty();
    private @Nullable TemporaryFile file;

    PartTarget(
            Upload upload,
            int number,
            HeaderList headers,
            Optional<UploadBody.Trailer> trailer,
            Uploads uploads,
            Workshop workshop) {
        this.upload = upload;
        this.number = number;
        this.headers = headers;
        this.trailer = trailer;
        this.uploads = uploads;
        this.workshop = workshop;
    }

    @Override
    public void open() throws IOException {
        checkNumber(number);
        fields = StoredFields.sums(StoredFields.of(headers));
        wanted = uploads.find(upload).sum().map(UploadSum::algorithm);
        file = TemporaryFile.create(workshop.temporaries().next(), wanted, workshop.openFiles());
    }

    @Override
    public void write(ByteBuf piece) throws IOException {
        opened().write(piece);
    }

    @Override
    public StoredPart finish() throws IOException {
        StoredContent content = store();
        return new StoredPart(number, content.tag(), content.headers(), Optional.empty());
    }

    @Override
    public void abandon() {
        if (file != null) {
            file.discard();
        }
    }

    /** Makes what was written a part of its upload. */
    StoredContent store() throws IOException {
        HeaderList sums = PutTarget.withTrailer(fields, trailer);
        if (wanted.isPresent() && sums.first(wanted.get().headerName()).isEmpty()) {
            byte[] sum = opened().sum().orElseThrow();
            sums = sums.with(wanted.get().headerName(), Base64Value.encode(sum));
        }
        ETag tag = ETag.strong(opened().md5Hex());
        StoredContent content =
                new StoredContent(opened().size(), workshop.temporaries().time(), tag, sums);
        PartFile.seal(opened(), upload.object().key(), content);
        uploads.place(upload, number, opened().path());
        return content;
    }

    /** The file, once it is open. */
    TemporaryFile opened() {
        return Objects.requireNonNull(file, "open() comes first");
    }

    private static void checkNumber(int number) {
        if (number < 1 || number > MultipartUploads.MAX_PARTS) {
            throw Refused.of("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
        }
    }
}
