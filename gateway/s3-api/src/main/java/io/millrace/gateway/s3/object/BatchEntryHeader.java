package io.millrace.gateway.s3.object;

import io.millrace.gateway.archive.TarEntryHeader;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.LinkedHashMap;
import java.util.Map;

/** Encodes what stands in a batch's tar before an entry: its header, and the PAX header of those that need one. */
final class BatchEntryHeader {
    private static final String CODE = "MILLRACE.code";
    private static final String MEMBERS = "MILLRACE.members";
    private static final String SIZE = "MILLRACE.size";
    private static final String TAG = "MILLRACE.etag";
    private static final int LONGEST_CODE = 64;

    /** The folder of items that could not be had, by AIStore's convention. */
    private static final String MISSING = "__404__/";

    private BatchEntryHeader() {}

    /** Returns the header of an object's content. */
    static byte[] ofContent(BatchEntry entry, long length) {
        return TarEntryHeader.of(entry.name(), length, records(entry));
    }

    /** Returns the header of an empty file that tells size and tag of an object. */
    static byte[] ofHead(BatchEntry entry, S3Response response) {
        Map<String, String> records = new LinkedHashMap<>(records(entry));
        records.put(SIZE, Long.toString(response.body().length()));
        response.headers().first("etag").ifPresent(tag -> records.put(TAG, tag));
        return TarEntryHeader.of(entry.name(), 0, records);
    }

    /** Returns the header of an empty file that tells why an entry cannot be had. */
    static byte[] ofMissing(BatchEntry entry, String code) {
        Map<String, String> records = new LinkedHashMap<>(records(entry));
        records.put(CODE, code.length() > LONGEST_CODE ? code.substring(0, LONGEST_CODE) : code);
        return TarEntryHeader.of(MISSING + entry.name(), 0, records);
    }

    /** Returns the records of an entry's PAX header; most have none, as readers take twice the time for one. */
    private static Map<String, String> records(BatchEntry entry) {
        return entry.members() == 0 ? Map.of() : Map.of(MEMBERS, Integer.toString(entry.members()));
    }
}
