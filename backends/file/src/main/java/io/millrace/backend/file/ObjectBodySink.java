package io.millrace.backend.file;

import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Receives the body of an upload into a temporary file and commits that file as the object. */
final class ObjectBodySink implements UploadBodyWriter.BodySink<WriteResult> {
    private final NewObject object;
    private final Optional<UploadBody.Trailer> trailer;
    private final SharedWriteComponents context;
    private HeaderList fields = HeaderList.EMPTY;
    private @Nullable DigestingTemporaryFile file;

    ObjectBodySink(NewObject object, Optional<UploadBody.Trailer> trailer, SharedWriteComponents workshop) {
        this.object = object;
        this.trailer = trailer;
        this.context = workshop;
    }

    @Override
    public void open() throws IOException {
        fields = WriteHeaderPolicy.storable("file", object.headers());
        context.committer().checkEarly(object.object(), object.condition());
        file = context.newFileFor(object.object().bucket(), Optional.empty());
    }

    @Override
    public void write(ByteBuf piece) throws IOException {
        openedFile().write(piece);
    }

    @Override
    public WriteResult finish() throws IOException {
        HeaderList all =
                WriteHeaderPolicy.withChecksumType(withTrailer(fields, trailer), UploadChecksumSpec.FULL_OBJECT);
        ETag tag = ETag.strong(openedFile().md5Hex());
        StoredContentMetadata content = new StoredContentMetadata(
                openedFile().size(), context.temporaryPaths().uniqueTime(), tag, all);
        openedFile().syncAndClose(content.modified());
        context.committer()
                .commit(object.object(), object.condition(), openedFile().path(), content);
        return new WriteResult(Optional.of(tag), SharedWriteComponents.checksumHeaders(content), Optional.empty());
    }

    @Override
    public void abandon() {
        if (file != null) {
            file.discard();
        }
    }

    /** Adds the header that came in the trailer of the body. */
    static HeaderList withTrailer(HeaderList fields, Optional<UploadBody.Trailer> trailer) {
        if (trailer.isEmpty()) {
            return fields;
        }
        HeaderList trailers = HeaderList.EMPTY.with(
                trailer.get().name(), trailer.get().value().get());
        return fields.with(WriteHeaderPolicy.storable("file", trailers));
    }

    private DigestingTemporaryFile openedFile() {
        return Objects.requireNonNull(file, "open() must be called first");
    }
}
