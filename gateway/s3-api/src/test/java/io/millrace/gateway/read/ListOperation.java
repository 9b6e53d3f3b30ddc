package io.millrace.gateway.read;

import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A list operation as a client pages through it. */
enum ListOperation {
    V1("", "marker", "max-keys", "Contents") {
        /** Without a delimiter, a client goes on after the last key. */
        @Override
        Optional<String> next(ParsedListing page, Page names, Choice choice) {
            String last =
                    names.keys().isEmpty() ? "" : names.keys().get(names.keys().size() - 1);
            String marker = page.field("NextMarker").map(choice::decode).orElse(last);
            return marker.isEmpty() ? Optional.empty() : Optional.of(RawResponse.parameter("marker", marker));
        }
    },
    V2("list-type=2&", "start-after", "max-keys", "Contents") {
        @Override
        Optional<String> next(ParsedListing page, Page names, Choice choice) {
            return page.field("NextContinuationToken").map(token -> RawResponse.parameter("continuation-token", token));
        }
    },
    VERSIONS("versions&", "key-marker", "max-keys", "Version") {
        @Override
        Optional<String> next(ParsedListing page, Page names, Choice choice) {
            return byTwoMarkers(page, "version-id-marker", "NextVersionIdMarker", choice);
        }
    },
    UPLOADS("uploads&", "key-marker", "max-uploads", "Upload") {
        @Override
        Optional<String> next(ParsedListing page, Page names, Choice choice) {
            return byTwoMarkers(page, "upload-id-marker", "NextUploadIdMarker", choice);
        }
    };

    /** More than any list of a test has. */
    private static final int MAX_PAGES = 40;

    private final String operation;
    private final String marker;
    private final String size;
    private final String element;

    ListOperation(String operation, String marker, String size, String element) {
        this.operation = operation;
        this.marker = marker;
        this.size = size;
        this.element = element;
    }

    /**
     * What a client asks for.
     *
     * @param marker where the first page begins; empty for the first key
     */
    record Choice(String prefix, String delimiter, String marker, int size, boolean encoded) {
        /** The same list of a bucket in which all keys begin with {@code outer}. */
        Choice below(String outer) {
            return new Choice(outer + prefix, delimiter, marker.isEmpty() ? "" : outer + marker, size, encoded);
        }

        String decode(String name) {
            return encoded ? URLDecoder.decode(name, StandardCharsets.UTF_8) : name;
        }
    }

    /** What one page shows. */
    record Page(List<String> keys, List<String> prefixes, boolean truncated) {
        /** The same page without {@code outer}, with which each of its names begins. */
        Page inside(String outer) {
            return new Page(inside(keys, outer), inside(prefixes, outer), truncated);
        }

        private static List<String> inside(List<String> names, String outer) {
            return names.stream()
                    .map(name -> name.startsWith("error: ")
                            ? name
                            : name.startsWith(outer) ? name.substring(outer.length()) : "beside: " + name)
                    .toList();
        }
    }

    /** The rest of a query that begins the next page; empty if the page names none. */
    abstract Optional<String> next(ParsedListing page, Page names, Choice choice);

    /** Keys of all pages. */
    static List<String> keys(List<Page> pages) {
        return pages.stream().flatMap(page -> page.keys().stream()).toList();
    }

    /**
     * All pages, from first to last. A server that refuses a marker which it has given ends its list by an error: the
     * last page names it.
     */
    List<Page> pages(RawResponse wire, String bucket, Choice choice) throws IOException {
        List<Page> pages = new ArrayList<>();
        Optional<String> from =
                Optional.of(choice.marker().isEmpty() ? "" : RawResponse.parameter(marker, choice.marker()));
        while (from.isPresent() && pages.size() < MAX_PAGES) {
            RawClient.Response response = wire.get(
                    "/" + bucket + "?" + operation + query(choice) + (from.get().isEmpty() ? "" : "&" + from.get()));
            if (response.status() != 200) {
                pages.add(new Page(List.of(), List.of("error: " + response.element("Code")), false));
                return pages;
            }
            ParsedListing listing = ParsedListing.of(response);
            Page page = page(listing, choice);
            pages.add(page);
            from = page.truncated() ? next(listing, page, choice) : Optional.empty();
        }
        return pages;
    }

    private String query(Choice choice) {
        return RawResponse.parameter("prefix", choice.prefix()) + "&"
                + RawResponse.parameter("delimiter", choice.delimiter()) + "&" + size + "=" + choice.size()
                + (choice.encoded() ? "&encoding-type=url" : "");
    }

    private Page page(ParsedListing listing, Choice choice) {
        List<String> keys = ParsedListing.children(listing.root(), element).stream()
                .map(entry -> choice.decode(ParsedListing.text(entry, "Key")))
                .toList();
        List<String> prefixes = listing.prefixes().stream().map(choice::decode).toList();
        return new Page(keys, prefixes, listing.isTruncated());
    }

    private static Optional<String> byTwoMarkers(ParsedListing page, String parameter, String field, Choice choice) {
        return page.field("NextKeyMarker")
                .map(choice::decode)
                .filter(key -> !key.isEmpty())
                .map(key -> RawResponse.parameter("key-marker", key)
                        + page.field(field)
                                .filter(id -> !id.isEmpty())
                                .map(id -> "&" + RawResponse.parameter(parameter, id))
                                .orElse(""));
    }
}
