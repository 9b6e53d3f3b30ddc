package io.millrace.backend.file;

import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.MultipartUploads.UploadQuery;
import io.millrace.backend.spi.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes one page of a bucket's uploads out of all of them. */
final class UploadListing {
    private final UploadQuery query;
    private final List<ListedUpload> uploads = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private @Nullable UploadMarker last;

    UploadListing(UploadQuery query) {
        this.query = query;
    }

    /**
     * @param all by key and then id
     */
    UploadPage page(List<UploadInfo> all) {
        for (UploadInfo upload : all) {
            String key = upload.object().key().value();
            if (!key.startsWith(query.prefix())) {
                continue;
            }
            Optional<String> rolledUp = rolledUp(key);
            String text = rolledUp.orElse(key);
            if (!isBehindMarker(text, upload.id()) || (rolledUp.isPresent() && prefixes.contains(text))) {
                continue;
            }
            if (uploads.size() + prefixes.size() == query.maxUploads()) {
                return new UploadPage(uploads, prefixes, Optional.ofNullable(last));
            }
            rolledUp.ifPresentOrElse(prefixes::add, () -> uploads.add(upload.listed()));
            last = new UploadMarker(text, rolledUp.isPresent() ? "" : upload.id());
        }
        return new UploadPage(uploads, prefixes, Optional.empty());
    }

    private Optional<String> rolledUp(String key) {
        String delimiter = query.delimiter();
        int at =
                delimiter.isEmpty() ? -1 : key.indexOf(delimiter, query.prefix().length());
        return at < 0 ? Optional.empty() : Optional.of(key.substring(0, at + delimiter.length()));
    }

    /** Without an id, all uploads of the marker's key are behind us. */
    private boolean isBehindMarker(String text, String id) {
        int order = ObjectKey.UTF8_ORDER.compare(text, query.keyMarker());
        boolean sameKeyLater = !query.uploadIdMarker().isEmpty() && id.compareTo(query.uploadIdMarker()) > 0;
        return order > 0 || (order == 0 && sameKeyLater);
    }
}
