package io.millrace.config.value;

import io.millrace.config.DataSize;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The shapes of single values by Java type. */
public final class BuiltInTypes {
    private static final ValueType TEXT = new ValueType("text", "write a text", (text, folder) -> text);

    /** The shape of each Java type. */
    public static final Map<Class<?>, ValueType> TYPES = Map.ofEntries(
            Map.entry(String.class, TEXT),
            Map.entry(int.class, NumberParser.INT),
            Map.entry(Integer.class, NumberParser.INT),
            Map.entry(long.class, NumberParser.LONG),
            Map.entry(Long.class, NumberParser.LONG),
            Map.entry(double.class, NumberParser.DOUBLE),
            Map.entry(Double.class, NumberParser.DOUBLE),
            Map.entry(boolean.class, BooleanParser.TYPE),
            Map.entry(Boolean.class, BooleanParser.TYPE),
            Map.entry(DataSize.class, SizeParser.TYPE),
            Map.entry(Duration.class, DurationParser.TYPE),
            Map.entry(Path.class, PathParser.TYPE),
            Map.entry(URI.class, UrlParser.TYPE));

    private BuiltInTypes() {}
}
