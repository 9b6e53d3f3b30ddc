package io.millrace.config.binding;

import io.millrace.config.SettingDescription;
import io.millrace.config.ValueForm;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.SettingPath;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Parses values of types from other modules by reflection: a class with a public static {@code parse(String)}, one with
 * a public static {@code read(Path)} of the file that the settings name, or a record of one string that is not a
 * settings record. The message of their {@link IllegalArgumentException} becomes the problem; reading a file throws an
 * {@link InvalidValueException} itself. The {@link ValueForm} of the type, or else the form of the setting, says
 * what to write.
 */
final class FactoryMethodParser {
    private FactoryMethodParser() {}

    /** Returns the shape for {@code type} in this setting; empty if it is no such type. */
    static Optional<ValueType> type(Class<?> type, SettingDescription setting) {
        return factory(type, "parse", String.class)
                .<Executable>map(method -> method)
                .or(() -> constructor(type))
                .map(maker -> type(type, maker, setting))
                .or(() -> factory(type, "read", Path.class).map(FactoryMethodParser::fileType));
    }

    private static Optional<Method> factory(Class<?> type, String name, Class<?> parameter) {
        try {
            Method method = type.getDeclaredMethod(name, parameter);
            int needed = Modifier.PUBLIC | Modifier.STATIC;
            return (method.getModifiers() & needed) == needed && method.getReturnType() == type
                    ? Optional.of(method)
                    : Optional.empty();
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
    }

    private static Optional<Executable> constructor(Class<?> type) {
        if (!type.isRecord() || type.getRecordComponents().length != 1) {
            return Optional.empty();
        }
        RecordComponent only = type.getRecordComponents()[0];
        if (only.getType() != String.class || only.isAnnotationPresent(SettingDescription.class)) {
            return Optional.empty();
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(String.class);
            return Optional.of(constructor);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ValueType type(Class<?> type, Executable maker, SettingDescription setting) {
        maker.setAccessible(true);
        String word = SettingPath.kebab(type.getSimpleName()).replace('-', ' ');
        String example = setting.example();
        String remedy = "write " + form(type, setting, word) + (example.isEmpty() ? "" : ", as " + example);
        @Nullable ValueForm form = type.getAnnotation(ValueForm.class);
        return new ValueType(word, remedy, (text, folder) -> make(maker, text, remedy), form != null && form.mapping());
    }

    private static String form(Class<?> type, SettingDescription setting, String word) {
        @Nullable ValueForm form = type.getAnnotation(ValueForm.class);
        if (form != null) {
            return form.value();
        }
        return setting.form().isEmpty() ? "a valid " + word : setting.form();
    }

    private static ValueType fileType(Method read) {
        read.setAccessible(true);
        return new ValueType("file", PathParser.REMEDY, (text, folder) -> read(read, PathParser.parse(text, folder)));
    }

    private static Object read(Method read, Path file) throws InvalidValueException {
        try {
            return read.invoke(null, file);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof InvalidValueException refusal) {
                throw refusal;
            }
            throw new IllegalStateException("cannot read a value with " + read, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read a value with " + read, e);
        }
    }

    private static Object make(Executable maker, String text, String remedy) throws InvalidValueException {
        try {
            return maker instanceof Method method
                    ? method.invoke(null, text)
                    : ((Constructor<?>) maker).newInstance(text);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException refusal) {
                throw new InvalidValueException(
                        refusal.getMessage() == null ? "is refused" : refusal.getMessage(), remedy);
            }
            throw new IllegalStateException("cannot make a value with " + maker, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make a value with " + maker, e);
        }
    }
}
