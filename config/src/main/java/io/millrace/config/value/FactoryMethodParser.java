package io.millrace.config.value;

import io.millrace.config.Setting;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.SettingPath;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Optional;

/**
 * Parses values of types from other modules by reflection: a class with a public static {@code parse(String)}, or a record of one
 * string that is not a settings record. The message of their {@link IllegalArgumentException} becomes the problem.
 */
public final class FactoryMethodParser {
    private FactoryMethodParser() {}

    /** Returns the shape for {@code type}; empty if it is no such type. */
    public static Optional<ValueType> type(Class<?> type, String example) {
        return parse(type).or(() -> constructor(type)).map(maker -> type(type, maker, example));
    }

    private static Optional<Executable> parse(Class<?> type) {
        try {
            Method method = type.getDeclaredMethod("parse", String.class);
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
        if (only.getType() != String.class || only.isAnnotationPresent(Setting.class)) {
            return Optional.empty();
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(String.class);
            return Optional.of(constructor);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ValueType type(Class<?> type, Executable maker, String example) {
        maker.setAccessible(true);
        String word = SettingPath.kebab(type.getSimpleName()).replace('-', ' ');
        String remedy = "write a valid " + word + (example.isEmpty() ? "" : ", as " + example);
        return new ValueType(word, remedy, (text, folder) -> make(maker, text, remedy));
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
