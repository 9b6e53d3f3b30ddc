package io.millrace.loadgen;

import io.millrace.config.DataSize;
import io.millrace.config.binding.DurationParser;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.loadgen.client.SizeDistribution;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of option values to the types of scenarios. */
final class OptionConverters {
    private OptionConverters() {}

    /** Registers the converters for a command. */
    static void register(CommandLine command) {
        command.registerConverter(Duration.class, OptionConverters::duration);
        command.registerConverter(DataSize.class, of(DataSize::parse));
        command.registerConverter(SizeDistribution.class, of(SizeDistribution::parse));
        command.registerConverter(OperationMix.class, of(OperationMix::parse));
        command.registerConverter(OperationCount.class, of(OperationCount::parse));
        command.registerConverter(ProcessShare.class, of(ProcessShare::parse));
    }

    private static Duration duration(String text) {
        try {
            return DurationParser.parse(text);
        } catch (InvalidValueException e) {
            throw new TypeConversionException("'%s' %s: %s".formatted(text, e.description(), e.remedy()));
        }
    }

    private static <T> ITypeConverter<T> of(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'%s' %s".formatted(text, e.getMessage()));
            }
        };
    }
}
