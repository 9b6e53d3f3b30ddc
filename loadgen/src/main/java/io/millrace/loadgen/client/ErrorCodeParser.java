package io.millrace.loadgen.client;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the code in the XML of an S3 error response, as {@code NoSuchKey}. */
public final class ErrorCodeParser {
    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9.]{1,64})</Code>");

    private ErrorCodeParser() {}

    /** Returns the code in the beginning of a body; empty if there is none. */
    public static String in(String body) {
        Matcher code = CODE.matcher(body);
        return code.find() ? code.group(1) : "";
    }
}
