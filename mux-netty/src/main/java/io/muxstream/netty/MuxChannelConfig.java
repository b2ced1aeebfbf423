package io.muxstream.netty;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;

import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.Map;

/**
 * A channel's settings that may change while it lives: Netty's, and two of its own. Its water marks are about what was written to the
 * channel and waits for credit or the transport; by default 64 and 128 KiB.
 */
public final class MuxChannelConfig extends DefaultChannelConfig {
    /**
     * Whether bytes count as taken by the reader once the pipeline has been given them, and credit for them returns; default true. If
     * not, who reads says {@link MuxChannel#consume}.
     */
    public static final ChannelOption<Boolean> AUTO_CONSUME =
            ChannelOption.valueOf(MuxChannelConfig.class, "AUTO_CONSUME");

    private static final int LOW_WATER_BYTES = 64 << 10;
    private static final int HIGH_WATER_BYTES = 128 << 10;

    private volatile boolean autoConsume = true;
    private volatile boolean allowHalfClosure = true;

    MuxChannelConfig(MuxChannel channel) {
        super(channel);
        var unused =
                setWriteBufferWaterMark(new io.netty.channel.WriteBufferWaterMark(LOW_WATER_BYTES, HIGH_WATER_BYTES));
    }

    /** See {@link #AUTO_CONSUME}. */
    public boolean isAutoConsume() {
        return autoConsume;
    }

    /** See {@link #AUTO_CONSUME}. To be set before anything is read. */
    public void setAutoConsume(boolean autoConsume) {
        this.autoConsume = autoConsume;
    }

    /** Whether the channel stays open when the peer has completed its writing; default true. If not, it is closed then, in order. */
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    /** See {@link #isAllowHalfClosure}. */
    public void setAllowHalfClosure(boolean allowHalfClosure) {
        this.allowHalfClosure = allowHalfClosure;
    }

    @Override
    protected void autoReadCleared() {
        ((MuxChannel) channel).cancelRead();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), AUTO_CONSUME, ALLOW_HALF_CLOSURE);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option.equals(AUTO_CONSUME)) {
            return (T) Boolean.valueOf(autoConsume);
        }
        if (option.equals(ALLOW_HALF_CLOSURE)) {
            return (T) Boolean.valueOf(allowHalfClosure);
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option.equals(AUTO_CONSUME)) {
            setAutoConsume((Boolean) value);
        } else if (option.equals(ALLOW_HALF_CLOSURE)) {
            setAllowHalfClosure((Boolean) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }
}
