package io.millrace.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The single values whose Java type says all there is to say. */
final class BuiltIn {
    private static final ScalarShape TEXT = new ScalarShape("text", "write a text", (text, folder) -> text);

    /** By Java type. */
    static final Map<Class<?>, ScalarShape> SHAPES = Map.ofEntries(
            Map.entry(String.class, TEXT),
            Map.entry(int.class, NumberText.INT),
            Map.entry(Integer.class, NumberText.INT),
            Map.entry(long.class, NumberText.LONG),
            Map.entry(Long.class, NumberText.LONG),
            Map.entry(double.class, NumberText.DOUBLE),
            Map.entry(Double.class, NumberText.DOUBLE),
            Map.entry(boolean.class, BooleanText.SHAPE),
            Map.entry(Boolean.class, BooleanText.SHAPE),
            Map.entry(DataSize.class, SizeText.SHAPE),
            Map.entry(Duration.class, DurationText.SHAPE),
            Map.entry(Path.class, PathText.SHAPE),
            Map.entry(URI.class, UrlText.SHAPE));

    private BuiltIn() {}
}
