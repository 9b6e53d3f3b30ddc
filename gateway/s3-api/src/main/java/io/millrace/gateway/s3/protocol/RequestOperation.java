package io.millrace.gateway.s3.protocol;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An operation of any protocol, by the name that meters, logs and the console have for it. */
public interface RequestOperation {
    /** Returns the name, which no other protocol has. */
    String wireName();

    /** Returns the name of a constant as S3 writes its names: {@code GetObject} for {@code GET_OBJECT}. */
    static String inCapitals(String constant) {
        return Stream.of(constant.split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }

    /** Returns whether it gets an object's bytes, which meters count by the result of the cache. */
    default boolean isGetOfObject() {
        return false;
    }

    /** Returns whether it only reads, though its method may write. */
    default boolean isReadByPost() {
        return false;
    }

    /** Returns whether it is what a browser asks before a request of a script: unsigned, and no act of anybody. */
    default boolean isPreflight() {
        return false;
    }
}
