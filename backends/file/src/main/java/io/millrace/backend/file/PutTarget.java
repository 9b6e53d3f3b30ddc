package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes the bytes of one object in. */
final class PutTarget implements Receiving.Target<Written> {
    private final NewObject object;
    private final Optional<UploadBody.Trailer> trailer;
    private final Workshop workshop;
    private HeaderList fields = HeaderList.EMPTY;
    private @Nullable TemporaryFile file;

    PutTarget(NewObject object, Optional<UploadBody.Trailer> trailer, Workshop workshop) {
        this.object = object;
        this.trailer = trailer;
        this.workshop = workshop;
    }

    @Override
    public void open() throws IOException {
        fields = StoredFields.of(object.headers());
        workshop.placement().lookAhead(object.object(), object.condition());
        file = workshop.fileFor(object.object().bucket(), Optional.empty());
    }

    @Override
    public void write(ByteBuf piece) throws IOException {
        opened().write(piece);
    }

    @Override
    public Written finish() throws IOException {
        HeaderList all = StoredFields.typed(withTrailer(fields, trailer), StoredFields.FULL_OBJECT);
        ETag tag = ETag.strong(opened().md5Hex());
        StoredContent content =
                new StoredContent(opened().size(), workshop.temporaries().time(), tag, all);
        opened().finish(content.modified());
        workshop.placement().publish(object.object(), object.condition(), opened().path(), content);
        return new Written(Optional.of(tag), Workshop.told(content), Optional.empty());
    }

    @Override
    public void abandon() {
        if (file != null) {
            file.discard();
        }
    }

    /** The fields with the one that came behind the bytes. */
    static HeaderList withTrailer(HeaderList fields, Optional<UploadBody.Trailer> trailer) {
        if (trailer.isEmpty()) {
            return fields;
        }
        HeaderList behind = HeaderList.EMPTY.with(
                trailer.get().name(), trailer.get().value().get());
        return StoredFields.joined(fields, StoredFields.of(behind));
    }

    private TemporaryFile opened() {
        return Objects.requireNonNull(file, "open() comes first");
    }
}
