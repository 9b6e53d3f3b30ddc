package io.millrace.backend.spi;

import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Builds one page of ListMultipartUploads from the multipart uploads of a bucket. Not thread-safe. */
public final class UploadListPageBuilder {
    private final ListUploadsRequest query;
    private final List<ListedUpload> uploads = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private @Nullable UploadMarker last;
    private boolean hasMore;

    public UploadListPageBuilder(ListUploadsRequest query) {
        this.query = query;
    }

    /**
     * Returns the page that the query asks for.
     *
     * @param all the uploads by key and then id
     */
    public UploadPage page(List<ListedUpload> all) {
        for (ListedUpload listed : all) {
            if (!add(listed)) {
                break;
            }
        }
        return page();
    }

    /** Adds an upload, of those by key and then id, if it belongs to the page; returns whether the next one may. */
    public boolean add(ListedUpload listed) {
        MultipartUpload upload = listed.upload();
        String key = upload.object().key().value();
        if (!key.startsWith(query.prefix())) {
            return true;
        }
        Optional<String> rolledUp = commonPrefix(key);
        String text = rolledUp.orElse(key);
        if (!isAfterMarker(text, upload.uploadId()) || (rolledUp.isPresent() && prefixes.contains(text))) {
            return true;
        }
        if (uploads.size() + prefixes.size() == query.maxUploads()) {
            hasMore = true;
            return false;
        }
        rolledUp.ifPresentOrElse(prefixes::add, () -> uploads.add(listed));
        last = new UploadMarker(text, rolledUp.isPresent() ? "" : upload.uploadId());
        return true;
    }

    /** Returns the page of the uploads that were added. */
    public UploadPage page() {
        return new UploadPage(uploads, prefixes, hasMore ? Optional.ofNullable(last) : Optional.empty());
    }

    private Optional<String> commonPrefix(String key) {
        String delimiter = query.delimiter();
        int at =
                delimiter.isEmpty() ? -1 : key.indexOf(delimiter, query.prefix().length());
        return at < 0 ? Optional.empty() : Optional.of(key.substring(0, at + delimiter.length()));
    }

    /** Returns whether an upload comes after the marker. A marker without an id excludes all uploads of its key. */
    private boolean isAfterMarker(String text, String id) {
        int order = ObjectKey.UTF8_ORDER.compare(text, query.keyMarker());
        boolean sameKeyLater = !query.uploadIdMarker().isEmpty() && id.compareTo(query.uploadIdMarker()) > 0;
        return order > 0 || (order == 0 && sameKeyLater);
    }
}
